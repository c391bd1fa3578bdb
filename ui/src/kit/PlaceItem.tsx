import type { ReactNode } from "react";
import type { LucideIcon } from "lucide-react";
import { cx } from "./cx";
import { useDropTarget } from "./Drag";
import type { Target } from "../store/drag";

const ITEM = "flex w-full min-w-0 items-center gap-2 rounded-md px-2 text-left";

/** How something in the side bar looks, by whether it is where the window is. */
export function placeLook(chosen: boolean, over = false): string {
  return cx(ITEM, chosen ? "bg-chosen text-chosen-text" : "hover:bg-hover", over && "bg-chosen outline-2 -outline-offset-2 outline-accent");
}

/** A heading of a part of the side bar, with what can be done about the part. */
export function PlaceHeading({ children, action }: { children: string; action?: ReactNode }) {
  return (
    <div className="flex h-7 items-center justify-between pr-1 pl-2">
      <h2 className="text-xs font-semibold text-soft">{children}</h2>
      {action}
    </div>
  );
}

const NOWHERE: Target = { is: "group", group: null };

/** A place of the side bar. Where `target` is given, things can be dropped on it. */
export function PlaceItem({
  id,
  name,
  icon: Icon,
  chosen,
  onClick,
  count,
  mark,
  target = null,
  indent = false,
  menu,
  title,
}: {
  id: string;
  name: string;
  icon: LucideIcon;
  chosen: boolean;
  onClick: () => void;
  /** How much it holds. */
  count?: ReactNode;
  /** In place of the icon. */
  mark?: ReactNode;
  target?: Target | null;
  indent?: boolean;
  menu?: ReactNode;
  title?: string;
}) {
  const { ref, over } = useDropTarget(`place:${id}`, target ?? NOWHERE, target === null);
  return (
    <div ref={ref} className="group relative" data-testid={`place-${name}`}>
      <button
        type="button"
        aria-current={chosen ? "true" : undefined}
        title={title}
        className={cx(placeLook(chosen, over), "h-7", indent && "pl-6")}
        onClick={onClick}
      >
        {mark ?? <Icon size={15} aria-hidden className={cx("shrink-0", chosen ? "" : "text-soft")} />}
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {count !== undefined && (
          <span className={cx("numeric text-sm", !chosen && "text-soft", menu !== undefined && "group-hover:invisible group-focus-within:invisible")}>
            {count}
          </span>
        )}
      </button>
      {menu !== undefined && (
        <span className="absolute top-0.5 right-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100">
          {menu}
        </span>
      )}
    </div>
  );
}
