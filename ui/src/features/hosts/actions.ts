import type { Backend, HostRow, Reason } from "../../backend/backend";
import { apiError } from "../../backend/backend";
import { complain, say } from "../../kit/Toast";
import { fieldsOf, formOf } from "../../store/hostForm";

/** Calls the roll of a host, or of all. */
export function syncNow(backend: Backend, host: HostRow | null) {
  backend.syncNow(host?.id ?? null).catch((thrown: unknown) => complain(apiError(thrown)));
}

/** Stops everything for a host, or lets it go on. */
export function setSuspended(backend: Backend, host: HostRow, suspended: boolean) {
  backend.setSuspended(host.id, suspended).then(
    () => {
      if (!suspended) return;
      say(`${host.label} is suspended`, {
        detail: "Its rows stay; it is not asked anything until you resume it.",
        action: { label: "Resume", run: () => setSuspended(backend, host, false) },
      });
    },
    (thrown: unknown) => complain(apiError(thrown)),
  );
}

/** Has the system's `ssh` carry the connection to a host from now on. */
export function switchToOpenSsh(backend: Backend, host: HostRow) {
  backend.editHost(host.id, formOf({ ...fieldsOf(host), transport: "openSsh" })).then(
    () => say(`${host.label} is reached by the system's ssh`, { detail: "Its settings say so, and can say otherwise." }),
    (thrown: unknown) => complain(apiError(thrown)),
  );
}

/** Whether a host waits for its person to sign in. */
export function wantsSignIn(reason: Reason | null): boolean {
  return reason?.code === "sign_in_needed" || reason?.code === "passphrase_wrong";
}
