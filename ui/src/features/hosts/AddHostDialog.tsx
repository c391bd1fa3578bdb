import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { apiError, type AliasRow, type ApiError, type NewHost } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { INPUT } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useViewStore } from "../../store/context";
import { EMPTY, fieldsOfAlias, formOf, portTrouble, type HostFields } from "../../store/hostForm";
import { HostForm } from "./HostForm";

function where(alias: AliasRow): string {
  const user = alias.user === null ? "" : `${alias.user}@`;
  const port = alias.port === null || alias.port === 22 ? "" : `:${alias.port}`;
  return `${user}${alias.hostName ?? alias.alias}${port}`;
}

/** Adds a host from the ssh configuration with one press, or by hand. */
export function AddHostDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const [aliases, setAliases] = useState<readonly AliasRow[] | null>(null);
  const [aliasTrouble, setAliasTrouble] = useState<ApiError | null>(null);
  const [query, setQuery] = useState("");
  const [byHand, setByHand] = useState(false);
  const [form, setForm] = useState<HostFields>(EMPTY);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<{ about: string; error: ApiError } | null>(null);
  const alive = useRef(true);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => {
    alive.current = true;
    backend.sshAliases().then(
      (found) => {
        setAliases(found);
        if (found.length === 0) setByHand(true);
      },
      (thrown: unknown) => {
        setAliases([]);
        setAliasTrouble(apiError(thrown));
        setByHand(true);
      },
    );
    return () => {
      alive.current = false;
    };
  }, [backend]);

  const add = (host: NewHost, about: string) => {
    setBusy(about);
    setError(null);
    backend.addHost(host).then(
      (added) => {
        if (!alive.current) return;
        view.go({ is: "host", host: added.id });
        onClose();
      },
      (thrown: unknown) => {
        setBusy(null);
        setError({ about, error: apiError(thrown) });
      },
    );
  };

  const words = query.trim().toLowerCase();
  const shown = (aliases ?? []).filter((alias) => `${alias.alias} ${where(alias)}`.toLowerCase().includes(words));
  const submit = () => add(formOf(form), "");

  const handError = error !== null && error.about === "" ? error.error : null;
  return (
    <Dialog
      title="Add a host"
      description="Rollcall signs in with ssh and runs git there. Nothing is installed on it."
      width="w-[520px]"
      onClose={onClose}
      footer={
        byHand ? (
          <>
            {aliases !== null && aliases.length > 0 && (
              <Button look="quiet" className="mr-auto" onClick={() => setByHand(false)}>
                From the ssh configuration
              </Button>
            )}
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              type="submit"
              form="add-host"
              disabled={busy !== null || form.destination.trim() === "" || portTrouble(form) !== null}
            >
              Add host
            </Button>
          </>
        ) : (
          <>
            <Button look="quiet" className="mr-auto" onClick={() => setByHand(true)}>
              Enter by hand…
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </>
        )
      }
    >
      {byHand ? (
        <div className="flex flex-col gap-3">
          {aliasTrouble !== null && <Trouble message={aliasTrouble.message} hints={aliasTrouble.hints} />}
          <HostForm id="add-host" fields={form} error={handError} onChange={setForm} onSubmit={submit} />
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <div className="relative">
            <Search size={14} aria-hidden className="absolute top-[9px] left-2.5 text-soft" />
            <input
              ref={search}
              aria-label="Filter hosts of the ssh configuration"
              placeholder="Filter"
              spellCheck={false}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className={`${INPUT} pl-8`}
            />
          </div>
          {error !== null && <Trouble message={error.error.message} hints={error.error.hints} />}
          {aliases === null ? (
            <p role="status" className="py-6 text-center text-soft">
              Reading the ssh configuration…
            </p>
          ) : shown.length === 0 ? (
            <p className="py-6 text-center text-soft">No host of the ssh configuration matches.</p>
          ) : (
            <ul aria-label="Hosts of the ssh configuration" className="flex max-h-[280px] flex-col overflow-y-auto">
              {shown.map((alias) => (
                <li key={alias.alias} className="flex items-center gap-3 border-b border-line py-1.5 pr-1 last:border-0">
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-medium">{alias.alias}</span>
                    <span className="block truncate text-sm text-soft">{where(alias)}</span>
                  </span>
                  {alias.added ? (
                    <span className="pr-1 text-sm text-soft">Added</span>
                  ) : (
                    <Button
                      small
                      aria-label={`Add ${alias.alias}`}
                      disabled={busy !== null}
                      onClick={() => add(formOf(fieldsOfAlias(alias)), alias.alias)}
                    >
                      {busy === alias.alias ? "Adding…" : "Add"}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  );
}
