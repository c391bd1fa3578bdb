import { CircleAlert, CirclePause, Copy, Unplug } from "lucide-react";
import type { HostRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { useBackend, useRegistry, useView, useViewStore } from "../../store/context";
import { many } from "../../store/words";
import { setSuspended, switchToOpenSsh, syncNow, wantsSignIn } from "./actions";
import { NextTry } from "./HostStatus";

/** That other labels lead to the same machine, or that what another one had can be taken back. */
function SameMachine({ host }: { host: HostRow }) {
  const view = useViewStore();
  const { forgotten, twins } = host;
  if (forgotten === null && twins.length === 0) return null;
  return (
    <section
      aria-label={`Machine of ${host.label}`}
      className="flex items-start gap-2.5 border-b border-line bg-sunken px-3.5 py-1.5 text-sm"
    >
      <Copy size={14} aria-hidden className="mt-[3px] shrink-0 text-soft" />
      <p className="min-w-0 flex-1 pt-px break-words" data-selectable>
        {forgotten !== null
          ? `${host.label} is the machine that was called ${forgotten.label}. ${many(forgotten.workspaces, "workspace", "workspaces")} of it can be taken back.`
          : `${host.label} is the same machine as ${twins.join(" and ")}.`}
      </p>
      {forgotten !== null && (
        <Button small onClick={() => view.open({ is: "reclaim", host: host.id })}>
          Take back…
        </Button>
      )}
    </section>
  );
}

/** What there is to say about the host that is being looked at. */
export function HostBanner() {
  const { place } = useView();
  const { hostById } = useRegistry();
  const host = place.is === "host" ? hostById.get(place.host) : undefined;
  if (host === undefined) return null;
  return (
    <>
      <StateBanner host={host} />
      <SameMachine host={host} />
    </>
  );
}

/** What keeps the host that is being looked at from answering, and what to do about it. */
function StateBanner({ host }: { host: HostRow }) {
  const backend = useBackend();
  const view = useViewStore();
  if (host.state.is === "idle" || host.state.is === "calling") return null;

  const { state } = host;
  const reason = state.is === "suspended" ? null : state.reason;
  const Icon = state.is === "suspended" ? CirclePause : state.is === "waiting" ? Unplug : CircleAlert;
  return (
    <section
      aria-label={`State of ${host.label}`}
      data-selectable
      className={cx(
        "flex items-start gap-2.5 border-b border-line px-3.5 py-2.5",
        state.is === "needsYou" ? "bg-danger-soft" : state.is === "waiting" ? "bg-edit-soft" : "bg-sunken",
      )}
    >
      <Icon
        size={16}
        aria-hidden
        className={cx(
          "mt-px shrink-0",
          state.is === "needsYou" ? "text-danger" : state.is === "waiting" ? "text-edit" : "text-soft",
        )}
      />
      <div className="min-w-0 flex-1 break-words">
        <p className="font-medium">
          {state.is === "suspended" ? `${host.label} is suspended: it is not asked anything.` : reason?.message}
        </p>
        {reason !== null && reason.hints.length > 0 && <p className="mt-0.5 text-sm">{reason.hints.join(" ")}</p>}
        {state.is === "waiting" && (
          <p className="mt-0.5 text-sm">
            What is listed below is as of its last answer. <NextTry at={state.until} />
          </p>
        )}
      </div>
      {state.is === "suspended" ? (
        <Button small onClick={() => setSuspended(backend, host, false)}>
          Resume
        </Button>
      ) : reason?.openssh === true && host.ssh?.transport === "automatic" ? (
        <>
          <Button small look="primary" onClick={() => switchToOpenSsh(backend, host)}>
            Use the system's ssh
          </Button>
          <Button small onClick={() => syncNow(backend, host)}>
            Try again
          </Button>
        </>
      ) : wantsSignIn(reason) ? (
        <Button small look="primary" onClick={() => syncNow(backend, host)}>
          Sign in…
        </Button>
      ) : reason?.code === "host_key_unknown" ? (
        <Button small look="primary" onClick={() => view.open({ is: "trust", host: host.id })}>
          Trust this key…
        </Button>
      ) : reason?.code === "host_key_changed" ? (
        <Button small onClick={() => view.open({ is: "trust", host: host.id })}>
          Compare keys…
        </Button>
      ) : (
        <>
          {state.is === "needsYou" && (
            <Button small onClick={() => view.open({ is: "editHost", host: host.id })}>
              Settings…
            </Button>
          )}
          <Button small onClick={() => syncNow(backend, host)}>
            Try again
          </Button>
        </>
      )}
    </section>
  );
}
