import { useEffect, useRef, useState } from "react";
import { TextField } from "../../kit/Field";
import { PlaceField, type PlaceKind } from "../../kit/PlaceField";
import { usePreferences } from "../../store/preferences";

/** Where a new worktree is put unless something else is said. What is typed is kept on leaving the field. */
export function WorktreeFolder() {
  const { preferences, choose } = usePreferences();
  const kept = preferences.worktreeFolder;
  const [where, setWhere] = useState<PlaceKind>(kept === "" ? "beside" : "folder");
  const [folder, setFolder] = useState(kept);

  const wanted = where === "beside" ? "" : folder.trim();
  const keep = (next: string) => {
    if (next !== kept) choose({ worktreeFolder: next });
  };

  // A dialog can be closed without the field being left first.
  const leave = useRef<() => void>(() => {});
  useEffect(() => {
    leave.current = () => keep(wanted);
  });
  useEffect(() => () => leave.current(), []);

  return (
    <>
      <PlaceField
        className="w-60"
        value={where}
        onChange={(next) => {
          setWhere(next);
          keep(next === "beside" ? "" : folder.trim());
        }}
      />
      {where === "folder" && (
        <TextField
          label="Folder"
          value={folder}
          placeholder="~/worktrees"
          help="On the host of the repository; ~ is your home folder there. Left empty, they lie beside the repository."
          onChange={(event) => setFolder(event.target.value)}
          onBlur={() => keep(wanted)}
          onKeyDown={(event) => event.key === "Enter" && keep(wanted)}
        />
      )}
      <p className="text-soft">New worktrees begin with this place; each can be put elsewhere.</p>
    </>
  );
}
