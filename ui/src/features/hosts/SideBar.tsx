import {
  AlertTriangle,
  ArrowUpFromLine,
  EyeOff,
  FilePen,
  Ghost,
  Hourglass,
  Layers,
  Pin,
  Plus,
  ShieldCheck,
  Tag,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { HostRow } from "../../backend/backend";
import { IconButton } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { HostMark } from "../../kit/HostMark";
import { MenuItem, MenuLine, MoreMenu } from "../../kit/Menu";
import { useBackend, useCounts, useRegistry, useView, useViewStore } from "../../store/context";
import { FILTERS, filterWord, type Count, type Filter, type Place } from "../../store/list";
import { setSuspended, syncNow, wantsSignIn } from "./actions";
import { HostStatus } from "./HostStatus";

const ICONS: Record<Filter, LucideIcon> = {
  all: Layers,
  attention: AlertTriangle,
  unpushed: ArrowUpFromLine,
  dirty: FilePen,
  missing: Ghost,
  pinned: Pin,
  safe: ShieldCheck,
  hidden: EyeOff,
};

function isAt(place: Place, other: Place): boolean {
  return JSON.stringify(place) === JSON.stringify(other);
}

function Heading({ children, action }: { children: string; action?: ReactNode }) {
  return (
    <div className="flex h-7 items-center justify-between pr-1 pl-2">
      <h2 className="text-xs font-semibold text-soft">{children}</h2>
      {action}
    </div>
  );
}

const ITEM = "flex w-full min-w-0 items-center gap-2 rounded-md px-2 text-left";

function item(chosen: boolean) {
  return cx(ITEM, chosen ? "bg-chosen text-chosen-text" : "hover:bg-hover");
}

function FilterItem({ filter, count }: { filter: Filter; count: Count }) {
  const view = useViewStore();
  const { place } = useView();
  const here: Place = { is: "filter", filter };
  const chosen = isAt(place, here);
  const Icon = ICONS[filter];
  const unknown = count.unknown > 0 ? `${count.unknown} more cannot be told` : undefined;
  return (
    <li>
      <button
        type="button"
        aria-current={chosen ? "true" : undefined}
        className={cx(item(chosen), "h-7")}
        onClick={() => view.go(here)}
      >
        <Icon size={15} aria-hidden className={cx("shrink-0", chosen ? "" : "text-soft")} />
        <span className="min-w-0 flex-1 truncate">{filterWord(filter)}</span>
        <span className={cx("numeric text-sm", !chosen && "text-soft")} title={unknown}>
          {count.count}
          {unknown !== undefined && (
            <>
              <span aria-hidden className="ml-0.5 text-xs">
                +?
              </span>
              <span className="sr-only">, {unknown}</span>
            </>
          )}
        </span>
      </button>
    </li>
  );
}

function HostItem({ host, count }: { host: HostRow; count: number }) {
  const backend = useBackend();
  const view = useViewStore();
  const { place } = useView();
  const here: Place = { is: "host", host: host.id };
  const chosen = isAt(place, here);
  const reason = host.state.is === "waiting" || host.state.is === "needsYou" ? host.state.reason : null;
  const suspended = host.state.is === "suspended";
  const asks = host.unconfirmed > 0 || host.machineOffered !== null;
  return (
    <li className="group relative" data-testid={`host-${host.label}`} data-state={host.state.is}>
      <button
        type="button"
        aria-current={chosen ? "true" : undefined}
        className={cx(item(chosen), "items-start py-1.5")}
        onClick={() => view.go(here)}
      >
        <span className="mt-[1.5px] inline-flex">
          <HostMark host={host} size={15} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2 pr-6">
            <span className="min-w-0 flex-1 truncate font-medium" title={host.address}>
              {host.label}
            </span>
            <span className={cx("numeric text-sm", !chosen && "text-soft")}>
              {count}
              <span className="sr-only"> workspaces</span>
            </span>
          </span>
          <span className={cx("block truncate text-xs", !chosen && "text-soft")}>
            <HostStatus host={host} />
          </span>
          {asks && (
            <span className={cx("block truncate text-xs font-medium", !chosen && "text-danger")}>needs your decision</span>
          )}
          {reason !== null && (
            <span
              className={cx("line-clamp-2 text-xs", !chosen && (host.state.is === "needsYou" ? "text-danger" : "text-edit"))}
              title={reason.message}
            >
              {reason.message}
            </span>
          )}
        </span>
      </button>
      <MoreMenu label={`Actions for ${host.label}`} className="absolute top-1.5 right-1">
        <MenuItem onClick={() => syncNow(backend, host)} disabled={suspended}>
          Sync now
        </MenuItem>
        <MenuItem onClick={() => view.open({ is: "register", host: host.id })}>Register a folder…</MenuItem>
        {wantsSignIn(reason) && (
          <MenuItem onClick={() => syncNow(backend, host)}>Sign in…</MenuItem>
        )}
        {reason?.code === "host_key_unknown" && (
          <MenuItem onClick={() => view.open({ is: "trust", host: host.id })}>Trust this key…</MenuItem>
        )}
        {reason?.code === "host_key_changed" && (
          <MenuItem onClick={() => view.open({ is: "trust", host: host.id })}>Compare keys…</MenuItem>
        )}
        {!host.local && (
          <MenuItem onClick={() => view.open({ is: "trace", host: host.id })}>How it was reached…</MenuItem>
        )}
        <MenuItem onClick={() => view.open({ is: "onlyHere", host: host.id })}>Only here…</MenuItem>
        <MenuItem onClick={() => view.open({ is: "editHost", host: host.id })}>Settings…</MenuItem>
        <MenuItem onClick={() => setSuspended(backend, host, !suspended)}>{suspended ? "Resume" : "Suspend"}</MenuItem>
        {!host.local && (
          <>
            <MenuLine />
            <MenuItem danger onClick={() => view.open({ is: "forget", host: host.id })}>
              Forget…
            </MenuItem>
          </>
        )}
      </MoreMenu>
    </li>
  );
}

function DeletedItem({ icon: Icon, name, count, onClick }: { icon: LucideIcon; name: string; count: number; onClick: () => void }) {
  return (
    <li>
      <button type="button" aria-label={`${name}, ${count}`} className={cx(item(false), "h-7")} onClick={onClick}>
        <Icon size={15} aria-hidden className="shrink-0 text-soft" />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="numeric text-sm text-soft">{count}</span>
      </button>
    </li>
  );
}

/** Places to look at: filters, hosts, tags. */
export function SideBar() {
  const { hosts, rows, trash } = useRegistry();
  const { place } = useView();
  const view = useViewStore();
  const deleting = useMemo(() => [...rows.values()].filter((row) => row.deleting).length, [rows]);
  const counts = useCounts();
  const filters = FILTERS.filter(
    (filter) => filter !== "hidden" || counts.filters.hidden.count > 0 || isAt(place, { is: "filter", filter }),
  );
  return (
    <nav
      aria-label="Places"
      className="flex w-[200px] shrink-0 min-[1100px]:w-[212px] flex-col gap-2 overflow-y-auto border-r border-line bg-side p-2"
    >
      <ul aria-label="Filters" className="flex flex-col gap-px">
        {filters.map((filter) => (
          <FilterItem key={filter} filter={filter} count={counts.filters[filter]} />
        ))}
      </ul>
      <section aria-label="Hosts">
        <Heading
          action={
            <IconButton label="Add a host" className="size-6" onClick={() => view.open({ is: "addHost" })}>
              <Plus size={14} aria-hidden />
            </IconButton>
          }
        >
          Hosts
        </Heading>
        <ul className="flex flex-col gap-px">
          {hosts.map((host) => (
            <HostItem key={host.id} host={host} count={counts.hosts.get(host.id) ?? 0} />
          ))}
        </ul>
      </section>
      {(deleting > 0 || trash > 0) && (
        <section aria-label="Deleted">
          <Heading>Deleted</Heading>
          <ul className="flex flex-col gap-px">
            {deleting > 0 && (
              <DeletedItem icon={Hourglass} name="Pending deletions" count={deleting} onClick={() => view.open({ is: "pending" })} />
            )}
            {trash > 0 && <DeletedItem icon={Trash2} name="Trash" count={trash} onClick={() => view.open({ is: "trash" })} />}
          </ul>
        </section>
      )}
      {counts.tags.length > 0 && (
        <section aria-label="Tags">
          <Heading>Tags</Heading>
          <ul className="flex flex-col gap-px">
            {counts.tags.map(([tag, count]) => {
              const here: Place = { is: "tag", tag };
              const chosen = isAt(place, here);
              return (
                <li key={tag}>
                  <button
                    type="button"
                    aria-current={chosen ? "true" : undefined}
                    className={cx(item(chosen), "h-7")}
                    onClick={() => view.go(here)}
                  >
                    <Tag size={14} aria-hidden className={cx("shrink-0", chosen ? "" : "text-soft")} />
                    <span className="min-w-0 flex-1 truncate">{tag}</span>
                    <span className={cx("numeric text-sm", !chosen && "text-soft")}>{count}</span>
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </nav>
  );
}
