import { Folder, FolderTree, Plus } from "lucide-react";
import type { GroupRow } from "../../backend/backend";
import { IconButton } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { useDragged, useDragNow, useDropTarget } from "../../kit/Drag";
import { MenuItem, MenuLine, MenuMore, MoreMenu } from "../../kit/Menu";
import { PlaceHeading, PlaceItem } from "../../kit/PlaceItem";
import { useCounts, useRegistry, useStores, useViewParts, useViewStore } from "../../store/context";
import { groupTree } from "../../store/list";

/** The gap above a group, in which another can be put. It is there only while a group is dragged. */
function Gap({ group }: { group: GroupRow }) {
  const dragged = useDragNow();
  const { ref, over } = useDropTarget(`gap:${group.id}`, { is: "beforeGroup", group: group.id }, dragged?.is !== "group");
  return (
    <div
      ref={ref}
      aria-hidden
      className={cx("absolute inset-x-0 -top-1.5 z-10 h-3", dragged?.is !== "group" && "pointer-events-none")}
    >
      <div className={cx("absolute inset-x-1 top-1 h-0.5 rounded", over && "bg-accent")} />
    </div>
  );
}

function GroupMenu({ group }: { group: GroupRow }) {
  const { operations } = useStores();
  const { groups } = useRegistry();
  const view = useViewStore();
  const siblings = groups.filter((each) => each.parent === group.parent).map((each) => each.id);
  const at = siblings.indexOf(group.id);
  const parent = groups.some((each) => each.parent === group.id);
  const tops = groups.filter((each) => each.parent === null && each.id !== group.id && each.id !== group.parent);
  const below = (under: string | null) => groups.filter((each) => each.parent === under && each.id !== group.id).map((each) => each.id);
  const step = (by: -1 | 1) => {
    const order = siblings.filter((id) => id !== group.id);
    order.splice(at + by, 0, group.id);
    void operations.perform({ is: "groups", parent: group.parent, order });
  };
  return (
    <MoreMenu label={`Actions for the group ${group.name}`}>
      <MenuItem onClick={() => view.open({ is: "group", id: group.id, parent: null, members: [] })}>Rename…</MenuItem>
      {group.parent === null && (
        <MenuItem onClick={() => view.open({ is: "group", id: null, parent: group.id, members: [] })}>
          New group below it…
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem disabled={at <= 0} onClick={() => step(-1)}>
        Move up
      </MenuItem>
      <MenuItem disabled={at < 0 || at + 1 >= siblings.length} onClick={() => step(1)}>
        Move down
      </MenuItem>
      {!parent && tops.length > 0 && (
        <MenuMore label="Put below">
          {tops.map((top) => (
            <MenuItem
              key={top.id}
              onClick={() => void operations.perform({ is: "groups", parent: top.id, order: [...below(top.id), group.id] })}
            >
              {top.name}
            </MenuItem>
          ))}
        </MenuMore>
      )}
      {group.parent !== null && (
        <MenuItem onClick={() => void operations.perform({ is: "groups", parent: null, order: [...below(null), group.id] })}>
          Take out to the top
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem danger onClick={() => view.open({ is: "removeGroup", id: group.id })}>
        Dissolve…
      </MenuItem>
    </MoreMenu>
  );
}

const WHERE = ["place", "saved"] as const;

function GroupItem({ group, level, count }: { group: GroupRow; level: number; count: number }) {
  const view = useViewStore();
  const { place, saved } = useViewParts(WHERE);
  const { groups } = useRegistry();
  const chosen = saved === null && place.is === "group" && place.group === group.id;
  const { ref, listeners, dragging } = useDragged(`group:${group.id}`, () => ({ is: "group", id: group.id }));
  const parent = groups.some((each) => each.parent === group.id);
  return (
    <li ref={ref} {...listeners} className={cx("relative", dragging && "opacity-50")}>
      <Gap group={group} />
      <PlaceItem
        id={`group:${group.id}`}
        name={group.name}
        icon={parent ? FolderTree : Folder}
        chosen={chosen}
        count={count}
        indent={level > 1}
        target={{ is: "group", group: group.id }}
        onClick={() => view.go({ is: "group", group: group.id })}
        menu={<GroupMenu group={group} />}
      />
    </li>
  );
}

/** The person's own groups in the side bar, nested once. */
export function GroupItems() {
  const { groups } = useRegistry();
  const counts = useCounts();
  const view = useViewStore();
  return (
    <section aria-label="Groups">
      <PlaceHeading
        action={
          <IconButton
            label="New group"
            className="size-6"
            onClick={() => view.open({ is: "group", id: null, parent: null, members: [] })}
          >
            <Plus size={14} aria-hidden />
          </IconButton>
        }
      >
        Groups
      </PlaceHeading>
      {groups.length === 0 ? (
        <p className="px-2 pb-1 text-xs text-soft">Put together what belongs together, over hosts and repositories.</p>
      ) : (
        <ul className="flex flex-col gap-px">
          {groupTree(groups).map(({ group, level }) => (
            <GroupItem key={group.id} group={group} level={level} count={counts.groups.get(group.id) ?? 0} />
          ))}
        </ul>
      )}
    </section>
  );
}
