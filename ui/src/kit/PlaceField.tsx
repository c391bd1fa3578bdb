import { SelectField } from "./Field";

/** Where a new worktree goes: beside its repository, or into a folder. */
export type PlaceKind = "beside" | "folder";

/** Chooses between the two; the folder is asked for beside this. */
export function PlaceField({
  value,
  className,
  onChange,
}: {
  value: PlaceKind;
  className?: string;
  onChange: (next: PlaceKind) => void;
}) {
  return (
    <SelectField<PlaceKind>
      label="Place"
      {...(className === undefined ? {} : { className })}
      value={value}
      options={[
        ["beside", "Beside the repository"],
        ["folder", "In a folder"],
      ]}
      onChange={onChange}
    />
  );
}
