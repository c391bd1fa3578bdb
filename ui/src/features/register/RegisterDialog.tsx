import { FolderOpen, FolderSearch } from "lucide-react";
import { useId, useRef, useState, type FormEvent } from "react";
import { apiError, type ApiError, type HostRef, type Registered, type RegisterOutcome } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { INPUT, TextField } from "../../kit/Field";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry, useViewStore } from "../../store/context";
import { OutcomeList } from "./Outcomes";

/** Puts a path of a host under roll call. What was typed stays until it worked. */
export function RegisterDialog({ host: first, onClose }: { host: HostRef | null; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { hosts } = useRegistry();
  const [host, setHost] = useState<HostRef>(first ?? hosts[0]?.id ?? "");
  const [path, setPath] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [done, setDone] = useState<Registered | null>(null);
  const [outcomes, setOutcomes] = useState<readonly RegisterOutcome[] | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const errorId = useId();
  const hostId = useId();
  const chosen = hosts.find((each) => each.id === host);

  const show = (registered: Registered) => {
    view.toggle(registered.root.id, true);
    view.set({ place: { is: "host", host: registered.root.host }, query: "", focus: `root:${registered.root.id}` });
  };

  const finish = (registered: Registered) => {
    show(registered);
    if (registered.already || registered.inside !== null) {
      setDone(registered);
      setBusy(false);
      return;
    }
    say(`${registered.root.name} is registered`, { detail: registered.root.path });
    onClose();
  };

  const fail = (thrown: unknown) => {
    setBusy(false);
    setError(apiError(thrown));
    field.current?.focus();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() === "" || busy) return;
    setBusy(true);
    setError(null);
    backend.register(host, path).then(finish, fail);
  };

  const choose = () => {
    setBusy(true);
    setError(null);
    backend.chooseFolders().then((found) => {
      setBusy(false);
      const [only] = found;
      if (only === undefined) return;
      if (found.length === 1 && only.registered !== null) finish(only.registered);
      else if (found.length === 1 && only.error !== null) {
        setPath(only.path);
        fail(only.error);
      } else setOutcomes(found);
    }, fail);
  };

  const takeRepository = (registered: Registered, repository: string) => {
    setBusy(true);
    setError(null);
    backend
      .register(registered.root.host, repository)
      .then(async (taken) => {
        // The folder was listed a moment ago by this dialog; one that was listed before is left alone.
        if (!registered.already) await backend.releaseRoot(registered.root.id, false);
        return taken;
      })
      .then((taken) => {
        show(taken);
        say(`${taken.root.name} is registered`, { detail: taken.root.path });
        onClose();
      }, fail);
  };

  if (outcomes !== null) {
    return (
      <Dialog title="Folders" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <OutcomeList outcomes={outcomes} />
      </Dialog>
    );
  }

  if (done !== null) {
    const { inside, already, root } = done;
    return (
      <Dialog
        title={already ? "Already registered" : "Registered as a plain directory"}
        onClose={onClose}
        footer={
          <>
            {inside !== null && (
              <Button look="primary" disabled={busy} onClick={() => takeRepository(done, inside)}>
                Register the repository instead
              </Button>
            )}
            <Button onClick={onClose}>{inside === null ? "Close" : "Keep the folder"}</Button>
          </>
        }
      >
        <div className="flex flex-col gap-2">
          {already && (
            <p>
              <span className="font-medium">{root.name}</span> is under roll call already. It is shown in the list.
            </p>
          )}
          {inside !== null && (
            <p>
              It is a folder inside the repository <span className="font-mono text-sm wrap-anywhere">{inside}</span>. A
              plain directory shows no branches and no changes.
            </p>
          )}
          <p className="font-mono text-sm wrap-anywhere text-soft" data-selectable>
            {root.path}
          </p>
          {error !== null && <Trouble message={error.message} hints={error.hints} />}
        </div>
      </Dialog>
    );
  }

  return (
    <Dialog
      title="Register a folder"
      description="A repository brings all of its worktrees. A plain folder is listed as it is, or searched for repositories."
      onClose={onClose}
      initialFocus={field}
      footer={
        <>
          <Button
            className="mr-auto"
            disabled={busy || path.trim() === "" || host === ""}
            onClick={() => view.open({ is: "search", host, folder: path.trim() })}
          >
            <FolderSearch size={14} aria-hidden />
            Search in it…
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="register" disabled={busy || path.trim() === "" || host === ""}>
            {busy ? "Looking…" : "Register"}
          </Button>
        </>
      }
    >
      <form id="register" onSubmit={submit} className="flex flex-col gap-3">
        <div className="flex flex-col gap-1">
          <label htmlFor={hostId} className="text-sm font-medium text-soft">
            Host
          </label>
          <select
            id={hostId}
            value={host}
            className={INPUT}
            onChange={(event) => {
              setHost(event.target.value);
              setError(null);
            }}
          >
            {hosts.map((each) => (
              <option key={each.id} value={each.id}>
                {each.label}
              </option>
            ))}
          </select>
        </div>
        <div className="flex items-end gap-2">
          <TextField
            ref={field}
            className="flex-1"
            label="Path"
            placeholder="~/src/project or /srv/project"
            value={path}
            aria-invalid={error !== null}
            {...(error === null ? {} : { "aria-describedby": errorId })}
            onChange={(event) => setPath(event.target.value)}
          />
          {chosen?.local === true && (
            <Button className="h-8" disabled={busy} onClick={choose}>
              <FolderOpen size={14} aria-hidden />
              Choose folder…
            </Button>
          )}
        </div>
        {error !== null && <Trouble id={errorId} message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
