import { useEffect, useState, type FormEvent } from "react";
import { apiError, type ApiError, type CheckoutForm, type Creation, type WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { SelectField, TextField } from "../../kit/Field";
import { PlaceField, type PlaceKind } from "../../kit/PlaceField";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useViewStore } from "../../store/context";
import { usePreferences } from "../../store/preferences";
import { useTask } from "../../store/task";
import { withoutRemote } from "./checkout";

type How = CheckoutForm["is"];

/** Asks for the branch, its base and the place of a new worktree. */
export function CreateDialog({ of, onClose }: { of: WorkspaceRef; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const [creation, setCreation] = useState<Creation | null>(null);
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  const [how, setHow] = useState<How>("new");
  const [branch, setBranch] = useState("");
  const [base, setBase] = useState("");
  const [chosen, setChosen] = useState("");
  const { worktreeFolder } = usePreferences().preferences;
  const [where, setWhere] = useState<PlaceKind>(worktreeFolder === "" ? "beside" : "folder");
  const [folder, setFolder] = useState(worktreeFolder);
  /** What the person typed; before that the place follows the branch. */
  const [typed, setTyped] = useState<string | null>(null);
  const [placed, setPlaced] = useState("");
  const { busy, error, run } = useTask();

  useEffect(() => {
    backend.creation(of).then(
      (told) => {
        setCreation(told);
        setBase(told.base ?? "");
      },
      (thrown: unknown) => setTrouble(apiError(thrown)),
    );
  }, [backend, of]);

  const branches = creation?.branches ?? [];
  const local = branches.filter((it) => !it.remote);
  const free = local.filter((it) => !it.checkedOut);
  const remote = branches.filter((it) => it.remote && !local.some((own) => own.name === withoutRemote(it.name)));
  const pick = how === "existing" ? free : remote;
  const picked = pick.find((it) => it.id === chosen) ?? pick[0];
  const name = how === "new" ? branch.trim() : how === "existing" ? (picked?.name ?? "") : withoutRemote(picked?.name ?? "");

  useEffect(() => {
    if (name === "") {
      setPlaced("");
      return undefined;
    }
    let wanted = true;
    backend.placement(of, name, where === "folder" && folder.trim() !== "" ? folder : null).then(
      (path) => wanted && setPlaced(path),
      // Half a path is no path yet.
      () => wanted && setPlaced(""),
    );
    return () => {
      wanted = false;
    };
  }, [backend, of, name, where, folder]);

  const path = typed ?? placed;
  const known = how === "new" && local.some((it) => it.name === name);
  const ready = creation !== null && name !== "" && path.trim() !== "" && !busy && !known && (how !== "new" || base !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const checkout: CheckoutForm =
      how === "new"
        ? { is: "new", branch: name, start: base }
        : how === "existing"
          ? { is: "existing", branch: name }
          : { is: "remote", branch: name, follows: picked?.id ?? "" };
    run(backend.createWorktree({ of, path, checkout }), (made) => {
      say(`The worktree of ${name} is there`, { detail: path });
      if (made !== null) view.set({ selected: made, focus: made });
      onClose();
    });
  };

  return (
    <Dialog
      title={creation === null ? "New worktree" : `New worktree of ${creation.name}`}
      description={creation === null ? undefined : `On ${creation.hostLabel}. If it cannot be made, nothing is left behind.`}
      width="w-[520px]"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="create" look="primary" disabled={!ready}>
            {busy ? "Creating…" : "Create"}
          </Button>
        </>
      }
    >
      {creation === null && trouble === null && <p className="text-soft">Asking its host for branches…</p>}
      {trouble !== null && <Trouble message={trouble.message} hints={trouble.hints} />}
      {creation !== null && (
        <form id="create" onSubmit={submit} className="flex flex-col gap-3">
          <SelectField<How>
            label="Check out"
            value={how}
            options={[
              ["new", "A new branch"],
              ["existing", "A branch that is there"],
              ["remote", "A branch of a remote"],
            ]}
            onChange={setHow}
          />
          {how === "new" ? (
            <div className="grid grid-cols-2 gap-3">
              <TextField
                label="Branch"
                value={branch}
                placeholder="feature/…"
                aria-invalid={known}
                onChange={(event) => setBranch(event.target.value)}
                {...(known ? { help: "There is such a branch already." } : {})}
              />
              <SelectField
                label="Begins at"
                value={base}
                options={branches.map((it) => [it.id, it.name] as const)}
                onChange={setBase}
              />
            </div>
          ) : pick.length === 0 ? (
            <p className="text-soft">
              {how === "existing"
                ? "Every branch is checked out already, or there is none."
                : "There is a branch here for every branch of a remote. Fetch to see newer ones."}
            </p>
          ) : (
            <SelectField
              label="Branch"
              value={picked?.id ?? ""}
              options={pick.map((it) => [it.id, it.name] as const)}
              onChange={setChosen}
              {...(how === "remote" ? { help: "The new branch follows it." } : {})}
            />
          )}
          <div className="grid grid-cols-2 gap-3">
            <PlaceField
              value={where}
              onChange={(next) => {
                setWhere(next);
                setTyped(null);
              }}
            />
            {where === "folder" && (
              <TextField
                label="Folder"
                value={folder}
                placeholder="~/worktrees"
                onChange={(event) => {
                  setFolder(event.target.value);
                  setTyped(null);
                }}
              />
            )}
          </div>
          <TextField
            label="Path"
            value={path}
            onChange={(event) => setTyped(event.target.value)}
            help="Folders that lead there are made, too."
          />
          {error !== null && <Trouble message={error.message} hints={error.hints} />}
        </form>
      )}
    </Dialog>
  );
}
