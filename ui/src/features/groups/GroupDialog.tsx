import type { GroupRef, WorkspaceRef } from "../../backend/backend";
import { Confirm } from "../../kit/Dialog";
import { NameDialog } from "../../kit/NameDialog";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useCounts, useRegistry, useStores, useViewStore } from "../../store/context";
import { membersOf } from "../../store/list";
import { useTask } from "../../store/task";
import { many } from "../../store/words";

/** Names a group: a new one, with its first members if there are any, or one that is there. */
export function GroupDialog({
  id,
  parent,
  members,
  name: proposed,
  onClose,
}: {
  id: GroupRef | null;
  parent: GroupRef | null;
  members: readonly WorkspaceRef[];
  /** What a new one may be called. */
  name: string;
  onClose: () => void;
}) {
  const backend = useBackend();
  const view = useViewStore();
  const { operations } = useStores();
  const { groupById } = useRegistry();
  const old = id === null ? "" : (groupById.get(id)?.name ?? "");
  const above = parent === null ? null : (groupById.get(parent)?.name ?? null);
  const { busy, error, run } = useTask();
  const submit = (name: string) => {
    if (id !== null) {
      const rename = (to: string) => backend.renameGroup(id, to);
      run(rename(name), () => {
        operations.did({ words: `${old} is called ${name} now`, redo: () => rename(name), undo: () => rename(old) });
        onClose();
      });
      return;
    }
    run(backend.addGroup(name, parent), (made) => {
      onClose();
      if (members.length > 0) void operations.perform({ is: "group", ids: members, group: made });
      else view.go({ is: "group", group: made });
    });
  };
  return (
    <NameDialog
      title={id === null ? (above === null ? "New group" : `New group below ${above}`) : `Rename ${old}`}
      {...(members.length > 0
        ? { description: `${many(members.length, "workspace goes", "workspaces go")} into it.` }
        : {})}
      name={id === null ? proposed : old}
      action={id === null ? "Make" : "Rename"}
      busy={busy}
      error={error}
      onName={submit}
      onClose={onClose}
    />
  );
}

/** Asks before a group is dissolved. It can be undone for as long as the window is open. */
export function RemoveGroupDialog({ id, onClose }: { id: GroupRef; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { operations, registry } = useStores();
  const { groupById } = useRegistry();
  const counts = useCounts();
  const { busy, error, run } = useTask();
  const group = groupById.get(id);
  if (group === undefined) return null;
  const count = counts.groups.get(id) ?? 0;
  const remove = () => {
    const { rows, groups } = registry.get();
    const members = membersOf(rows.values(), id);
    const children = groups.filter((each) => each.parent === id).map((each) => each.id);
    const siblings = groups.filter((each) => each.parent === group.parent).map((each) => each.id);
    let standing = id;
    run(backend.removeGroup(id), () => {
      onClose();
      const { place } = view.get();
      if (place.is === "group" && place.group === id) view.go({ is: "filter", filter: "all" });
      operations.did({
        words: `The group ${group.name} is dissolved`,
        redo: () => backend.removeGroup(standing),
        undo: async () => {
          standing = await backend.addGroup(group.name, group.parent);
          await backend.arrangeGroups(
            group.parent,
            siblings.map((each) => (each === id ? standing : each)),
          );
          if (children.length > 0) await backend.arrangeGroups(standing, children);
          const ids = members.map((row) => row.id);
          const placed = members.some((row) => row.position !== null);
          await backend.regroup(
            ids.map((each) => ({ id: each, group: standing })),
            placed ? [{ group: standing, ids }] : [],
          );
        },
      });
    });
  };
  return (
    <Confirm title={`Dissolve ${group.name}?`} action="Dissolve" busy={busy} onConfirm={remove} onClose={onClose}>
      <p>
        {count === 0
          ? "It is empty."
          : `${many(count, "workspace is", "workspaces are")} in no group then. Nothing else about them changes.`}
      </p>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </Confirm>
  );
}
