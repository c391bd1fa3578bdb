import type { ColourChoice, WorkspaceRow } from "../../backend/backend";
import { COLOURS, ColourMark, colourWord } from "../../kit/ColourMark";
import { MenuChoice, MenuItem, MenuLine, MenuMore } from "../../kit/Menu";
import { useRegistry, useStores, useViewStore } from "../../store/context";
import { OpenItems } from "./Actions";

/** Colours to choose one of, or none. */
export function ColourChoices({ value, onChange }: { value: ColourChoice; onChange: (colour: ColourChoice) => void }) {
  return (
    <MenuChoice<ColourChoice>
      name="Colour"
      value={value}
      options={[
        ["none", "None"],
        ...COLOURS.map(
          (colour) =>
            [
              colour,
              <>
                <ColourMark colour={colour} silent />
                {colourWord(colour)}
              </>,
            ] as const,
        ),
      ]}
      onChange={onChange}
    />
  );
}

/** What can be done to the marked rows, wherever a menu of theirs is opened. */
export function RowItems({ rows }: { rows: readonly WorkspaceRow[] }) {
  const { operations } = useStores();
  const { hosts } = useRegistry();
  const view = useViewStore();
  const [first] = rows;
  if (first === undefined) return <MenuItem disabled>No workspace is marked</MenuItem>;
  const ids = rows.map((row) => row.id);
  const single = rows.length === 1;
  const pinned = rows.every((row) => row.pinned);
  const hidden = rows.every((row) => row.untracked);
  const missing = rows.filter((row) => row.presence === "missing" && !row.deleting);
  const colours = new Set(rows.map((row) => row.colour));
  const inGit = rows.filter((row) => row.kind !== "directory" && row.presence !== "missing");
  const deletable = rows.filter((row) => !row.deleting && row.presence !== "missing" && !row.untracked);
  return (
    <>
      {!single && <p className="px-2 pt-1 pb-0.5 text-xs font-medium text-soft">{rows.length} workspaces</p>}
      {single && first.presence !== "missing" && (
        <MenuMore label="Open">
          <OpenItems row={first} />
        </MenuMore>
      )}
      <MenuItem keys="P" onClick={() => void operations.perform({ is: "pin", ids, on: !pinned })}>
        {pinned ? "Unpin" : "Pin"}
      </MenuItem>
      <MenuItem keys="M" onClick={() => view.open({ is: "palette", page: "group" })}>
        Move to group…
      </MenuItem>
      <MenuItem keys="T" onClick={() => view.open({ is: "palette", page: "tag" })}>
        Tag…
      </MenuItem>
      <MenuMore label="Colour">
        <ColourChoices
          value={colours.size === 1 ? (first.colour ?? "none") : "none"}
          onChange={(colour) => void operations.perform({ is: "colour", ids, colour })}
        />
      </MenuMore>
      {hosts.length > 1 && inGit.length > 0 && (
        <MenuItem keys="H" onClick={() => view.open({ is: "palette", page: "host" })}>
          Make on another host…
        </MenuItem>
      )}
      {inGit.length > 0 && (
        <MenuItem onClick={() => view.open({ is: "fetch", ids: inGit.map((row) => row.id) })}>Fetch…</MenuItem>
      )}
      <MenuLine />
      {single && missing.length === 1 && (
        <MenuItem onClick={() => view.open({ is: "relink", id: first.id })}>Say where it went…</MenuItem>
      )}
      {missing.length > 0 && (
        <MenuItem danger onClick={() => view.open({ is: "forgetMissing", ids: missing.map((row) => row.id) })}>
          Forget what is missing…
        </MenuItem>
      )}
      <MenuItem onClick={() => void operations.perform({ is: "untrack", ids, on: !hidden })}>
        {hidden ? "Show again" : "Untrack"}
      </MenuItem>
      {deletable.length > 0 && (
        <MenuItem
          danger
          keys="Del"
          onClick={() => void operations.perform({ is: "delete", ids: deletable.map((row) => row.id) })}
        >
          Delete…
        </MenuItem>
      )}
    </>
  );
}
