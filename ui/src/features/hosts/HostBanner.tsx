import { CircleAlert, CirclePause, Unplug } from "lucide-react";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { useBackend, useRegistry, useView, useViewStore } from "../../store/context";
import { setSuspended, syncNow } from "./actions";
import { NextTry } from "./HostStatus";

/** What keeps the host that is being looked at from answering, and what to do about it. */
export function HostBanner() {
  const backend = useBackend();
  const view = useViewStore();
  const { place } = useView();
  const { hostById } = useRegistry();
  const host = place.is === "host" ? hostById.get(place.host) : undefined;
  if (host === undefined || host.state.is === "idle" || host.state.is === "calling") return null;

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
      ) : reason?.code === "host_key_unknown" ? (
        <Button small look="primary" onClick={() => view.open({ is: "trust", host: host.id })}>
          Trust this key…
        </Button>
      ) : reason?.code === "host_key_changed" ? (
        <Button small onClick={() => view.open({ is: "trust", host: host.id })}>
          Compare keys…
        </Button>
      ) : (
        <Button small onClick={() => syncNow(backend, host)}>
          Try again
        </Button>
      )}
    </section>
  );
}
