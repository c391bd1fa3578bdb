import { Search } from "lucide-react";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { apiError, type AliasRow, type ApiError, type NewHost } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { INPUT, TextField } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useViewStore } from "../../store/context";

function where(alias: AliasRow): string {
  const user = alias.user === null ? "" : `${alias.user}@`;
  const port = alias.port === null || alias.port === 22 ? "" : `:${alias.port}`;
  return `${user}${alias.hostName ?? alias.alias}${port}`;
}

interface Form {
  label: string;
  destination: string;
  user: string;
  port: string;
  identityFile: string;
}

const EMPTY: Form = { label: "", destination: "", user: "", port: "", identityFile: "" };

/** Adds a host from the ssh configuration with one press, or by hand. */
export function AddHostDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const [aliases, setAliases] = useState<readonly AliasRow[] | null>(null);
  const [aliasTrouble, setAliasTrouble] = useState<ApiError | null>(null);
  const [query, setQuery] = useState("");
  const [byHand, setByHand] = useState(false);
  const [form, setForm] = useState<Form>(EMPTY);
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
  const port = form.port.trim() === "" ? null : Number(form.port);
  const badPort = port !== null && !(Number.isInteger(port) && port > 0 && port < 65_536);
  const field = (name: keyof Form) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.destination.trim() === "" || badPort) return;
    add(
      {
        label: form.label.trim(),
        destination: form.destination.trim(),
        user: form.user.trim() || null,
        port,
        identityFile: form.identityFile.trim() || null,
      },
      "",
    );
  };

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
              disabled={busy !== null || form.destination.trim() === "" || badPort}
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
        <form id="add-host" onSubmit={submit} className="grid grid-cols-[1fr_1fr_80px] gap-3">
          {aliasTrouble !== null && (
            <Trouble className="col-span-3" message={aliasTrouble.message} hints={aliasTrouble.hints} />
          )}
          <TextField
            className="col-span-3"
            label="Destination"
            placeholder="build-box or 192.0.2.7"
            help="A name of your ssh configuration, a host name or an address."
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog was opened to type here
            autoFocus
            aria-invalid={handError !== null && handError.code !== "duplicate_label"}
            {...field("destination")}
          />
          <TextField
            className="col-span-3"
            label="Label"
            placeholder={form.destination || "What you call it"}
            aria-invalid={handError?.code === "duplicate_label"}
            {...field("label")}
          />
          <TextField label="User" placeholder="From the configuration" className="col-span-2" {...field("user")} />
          <TextField label="Port" placeholder="22" inputMode="numeric" aria-invalid={badPort} {...field("port")} />
          <TextField
            className="col-span-3"
            label="Key file"
            placeholder="From the configuration or the agent"
            {...field("identityFile")}
          />
          {badPort && (
            <Trouble className="col-span-3" message={`${form.port} is no port: give a number from 1 to 65535.`} />
          )}
          {handError !== null && (
            <Trouble className="col-span-3" message={handError.message} hints={handError.hints} />
          )}
        </form>
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
                      onClick={() =>
                        add(
                          { label: alias.alias, destination: alias.alias, user: null, port: null, identityFile: null },
                          alias.alias,
                        )
                      }
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
