import { Plus } from "lucide-react";
import type { HostRow } from "../../backend/backend";
import { IconButton } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { useDropTarget } from "../../kit/Drag";
import { HostMark } from "../../kit/HostMark";
import { MenuItem, MenuLine, MoreMenu } from "../../kit/Menu";
import { PlaceHeading, placeLook } from "../../kit/PlaceItem";
import { useBackend, useCounts, useRegistry, useViewParts, useViewStore } from "../../store/context";
import { setSuspended, syncNow, wantsSignIn } from "./actions";
import { HostStatus } from "./HostStatus";

const WHERE = ["place", "saved"] as const;

function HostItem({ host, count }: { host: HostRow; count: number }) {
  const backend = useBackend();
  const view = useViewStore();
  const { place, saved } = useViewParts(WHERE);
  const chosen = saved === null && place.is === "host" && place.host === host.id;
  const { ref, over } = useDropTarget(`host-place:${host.id}`, { is: "host", host: host.id });
  const reason = host.state.is === "waiting" || host.state.is === "needsYou" ? host.state.reason : null;
  const suspended = host.state.is === "suspended";
  const asks = host.unconfirmed > 0 || host.machineOffered !== null;
  return (
    <li ref={ref} className="group relative" data-testid={`host-${host.label}`} data-state={host.state.is}>
      <button
        type="button"
        aria-current={chosen ? "true" : undefined}
        className={cx(placeLook(chosen, over), "items-start py-1.5")}
        onClick={() => view.go({ is: "host", host: host.id })}
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

/** The hosts in the side bar, each with what it is doing. */
export function HostItems() {
  const { hosts } = useRegistry();
  const view = useViewStore();
  const counts = useCounts();
  return (
    <section aria-label="Hosts">
      <PlaceHeading
        action={
          <IconButton label="Add a host" className="size-6" onClick={() => view.open({ is: "addHost" })}>
            <Plus size={14} aria-hidden />
          </IconButton>
        }
      >
        Hosts
      </PlaceHeading>
      <ul className="flex flex-col gap-px">
        {hosts.map((host) => (
          <HostItem key={host.id} host={host} count={counts.hosts.get(host.id) ?? 0} />
        ))}
      </ul>
    </section>
  );
}
