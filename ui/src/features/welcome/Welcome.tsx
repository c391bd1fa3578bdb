import { FolderPlus, Plus, Server } from "lucide-react";
import { useEffect, useState } from "react";
import { apiError, type AliasRow, type ApiError, type PlaceRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { HostMark } from "../../kit/HostMark";
import { complain } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry, useViewStore } from "../../store/context";
import { useFinding } from "../../store/finding";
import { fieldsOfAlias, formOf } from "../../store/hostForm";
import { FindingBar, Places } from "./Places";

/** Hosts of the ssh configuration that are offered here; the dialog has them all. */
const OFFERED = 6;

/** The first thing a person sees: nothing is under roll call yet. */
export function Welcome() {
  const backend = useBackend();
  const view = useViewStore();
  const { hosts } = useRegistry();
  const [aliases, setAliases] = useState<readonly AliasRow[]>([]);
  const [busy, setBusy] = useState<string | null>(null);
  /** `null` until it is known which there are. */
  const [places, setPlaces] = useState<readonly PlaceRow[] | null>(null);
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  const local = hosts.find((host) => host.local);
  const finding = useFinding(local?.id ?? null);
  const looks = local !== undefined && places !== null && places.length > 0;

  useEffect(() => {
    let alive = true;
    backend.sshAliases().then(
      (found) => alive && setAliases(found.filter((alias) => !alias.added)),
      // The dialog for hosts says why; here the offer is just not made.
      () => {},
    );
    return () => {
      alive = false;
    };
  }, [backend, hosts.length]);

  useEffect(() => {
    let alive = true;
    backend.searchPlaces().then(
      (found) => alive && setPlaces(found),
      (thrown: unknown) => alive && setTrouble(apiError(thrown)),
    );
    return () => {
      alive = false;
    };
  }, [backend]);

  const add = (alias: AliasRow) => {
    setBusy(alias.alias);
    backend
      .addHost(formOf(fieldsOfAlias(alias)))
      .catch((thrown: unknown) => complain(apiError(thrown)))
      .finally(() => setBusy(null));
  };

  return (
    <main aria-label="Welcome" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-8">
        <div className="m-auto w-full max-w-[560px] py-8">
          <h1 className="text-xl font-semibold">Nothing is under roll call yet</h1>
          <p className="mt-1.5 text-soft">
            Register the repositories and folders you work in. Rollcall lists every worktree in them, says what exists
            only there, and keeps your notes beside it.
          </p>

          <section aria-label="This machine" className="mt-6 rounded-lg border border-line">
            <div className="flex items-center gap-3 px-4 py-3">
              {local !== undefined && <HostMark host={local} size={18} />}
              <div className="min-w-0 flex-1">
                <h2 className="truncate font-semibold">{local?.label ?? "This machine"}</h2>
                <p className="text-sm text-soft">
                  {[local?.system, local?.gitVersion != null && `git ${local.gitVersion}`].filter(Boolean).join(" · ")}
                </p>
              </div>
              <Button
                look={places?.length === 0 || trouble !== null ? "primary" : "plain"}
                onClick={() => view.open({ is: "register", host: local?.id ?? null })}
              >
                <FolderPlus size={15} aria-hidden />
                Register a folder…
              </Button>
            </div>
            <p className="px-4 pb-3 text-sm text-soft">
              Or drop folders from your file manager anywhere on this window.
            </p>
            {trouble !== null && (
              <Trouble className="mx-4 mb-3" message={trouble.message} hints={trouble.hints} />
            )}
            {looks && <Places places={places} finding={finding} />}
          </section>

          <section aria-label="Other hosts" className="mt-5">
            <div className="flex items-center justify-between">
              <h2 className="font-semibold">Other hosts</h2>
              <Button small onClick={() => view.open({ is: "addHost" })}>
                <Plus size={13} aria-hidden />
                Add a host…
              </Button>
            </div>
            <p className="mt-1 text-soft">Machines you reach over SSH. Nothing is installed on them.</p>
            {(aliases.length > 0 || hosts.length > 1) && (
              <ul aria-label="Hosts" className="mt-2 flex flex-col rounded-lg border border-line">
                {hosts
                  .filter((host) => !host.local)
                  .map((host) => (
                    <li key={host.id} className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0">
                      <HostMark host={host} size={15} />
                      <span className="min-w-0 flex-1 truncate">
                        {host.label} <span className="text-soft">{host.address}</span>
                      </span>
                      <Button small onClick={() => view.open({ is: "register", host: host.id })}>
                        Register a folder…
                      </Button>
                    </li>
                  ))}
                {aliases.slice(0, OFFERED).map((alias) => (
                  <li key={alias.alias} className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0">
                    <Server size={15} aria-hidden className="shrink-0 text-soft" />
                    <span className="min-w-0 flex-1 truncate">
                      {alias.alias} <span className="text-soft">{alias.hostName}</span>
                    </span>
                    <Button small disabled={busy !== null} aria-label={`Add ${alias.alias}`} onClick={() => add(alias)}>
                      {busy === alias.alias ? "Adding…" : "Add"}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
      </div>
      {looks && finding.finds.size > 0 && <FindingBar places={places} finding={finding} />}
    </main>
  );
}
