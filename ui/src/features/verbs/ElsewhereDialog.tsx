import { CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { apiError, type ApiError, type CheckoutForm, type Counterpart, type Creation, type HostRef, type WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { KindIcon } from "../../kit/KindIcon";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry, useViewStore } from "../../store/context";
import { many } from "../../store/words";
import { checkoutOf } from "./checkout";

/** How far one of them is. */
type Step =
  | { is: "asking" }
  | { is: "impossible"; words: string }
  | { is: "ready"; of: WorkspaceRef; path: string; checkout: CheckoutForm; words: string }
  | { is: "making" }
  | { is: "made"; id: WorkspaceRef | null; path: string }
  | { is: "failed"; error: ApiError };

/** Makes worktrees of the same branches on another host, where a repository has the same origin. */
export function ElsewhereDialog({ ids, host, onClose }: { ids: readonly WorkspaceRef[]; host: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { rows, hostById, preferences } = useRegistry();
  const [steps, setSteps] = useState<ReadonlyMap<WorkspaceRef, Step>>(new Map(ids.map((id) => [id, { is: "asking" }])));
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<WorkspaceRef>>(new Set(ids));
  const label = hostById.get(host)?.label ?? "the other host";

  useEffect(() => {
    let alive = true;
    const set = (id: WorkspaceRef, step: Step) => alive && setSteps((before) => new Map(before).set(id, step));
    const prepare = async (told: readonly Counterpart[]) => {
      // A repository is asked for its branches once, however many of them are wanted.
      const asked = new Map<WorkspaceRef, Promise<Creation>>();
      for (const { id, of, branch, words } of told) {
        if (of === null || branch === null) {
          set(id, { is: "impossible", words });
          continue;
        }
        const creation = asked.get(of) ?? backend.creation(of);
        asked.set(of, creation);
        try {
          // eslint-disable-next-line no-await-in-loop -- one after another is kinder to the host
          const found = checkoutOf(branch, (await creation).branches);
          if (found.checkout === null) set(id, { is: "impossible", words: found.words });
          else {
            const folder = preferences.worktreeFolder === "" ? null : preferences.worktreeFolder;
            // eslint-disable-next-line no-await-in-loop -- as above
            const path = await backend.placement(of, branch, folder);
            set(id, { is: "ready", of, path, checkout: found.checkout, words: found.words });
          }
        } catch (thrown) {
          set(id, { is: "failed", error: apiError(thrown) });
        }
      }
    };
    backend.counterparts([...ids], host).then(prepare, (thrown: unknown) => alive && setTrouble(apiError(thrown)));
    return () => {
      alive = false;
    };
    // What is asked for does not change while the dialog is open.
  }, [backend, ids, host, preferences.worktreeFolder]);

  const ready = useMemo(
    () => [...steps].flatMap(([id, step]) => (step.is === "ready" && chosen.has(id) ? [{ id, ...step }] : [])),
    [steps, chosen],
  );
  const busy = [...steps.values()].some((step) => step.is === "making");
  const made = [...steps.values()].flatMap((step) => (step.is === "made" ? [step.id] : []));
  const create = async () => {
    for (const { id, of, path, checkout } of ready) {
      setSteps((before) => new Map(before).set(id, { is: "making" }));
      let next: Step;
      try {
        // eslint-disable-next-line no-await-in-loop -- the host takes them in turn anyway
        next = { is: "made", id: await backend.createWorktree({ of, path, checkout }), path };
      } catch (thrown) {
        next = { is: "failed", error: apiError(thrown) };
      }
      setSteps((before) => new Map(before).set(id, next));
    }
  };
  const show = () => {
    const [first] = made.flatMap((id) => id ?? []);
    onClose();
    if (first !== undefined) view.show(first);
  };

  return (
    <Dialog
      title={`Make on ${label}`}
      description="A worktree of the same branch, in a repository that comes from the same place. What is not pushed stays where it is."
      width="w-[560px]"
      onClose={onClose}
      footer={
        made.length > 0 && ready.length === 0 ? (
          <Button look="primary" onClick={show}>
            Show {made.length === 1 ? "it" : "them"}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" disabled={busy || ready.length === 0} onClick={() => void create()}>
              {busy ? "Making…" : ready.length > 1 ? `Make ${many(ready.length, "worktree", "worktrees")}` : "Make"}
            </Button>
          </>
        )
      }
    >
      {trouble !== null && <Trouble message={trouble.message} hints={trouble.hints} />}
      <ul className="flex flex-col">
        {ids.map((id) => {
          const row = rows.get(id);
          const step = steps.get(id);
          if (row === undefined || step === undefined) return null;
          return (
            <li key={id} className="flex items-start gap-2.5 border-b border-line py-2 last:border-0">
              <span className="mt-0.5 inline-flex w-4 shrink-0 justify-center">
                {step.is === "ready" ? (
                  <input
                    type="checkbox"
                    aria-label={`Make ${row.name}`}
                    checked={chosen.has(id)}
                    className="size-3.5 accent-accent"
                    onChange={(event) => {
                      const next = new Set(chosen);
                      if (event.target.checked) next.add(id);
                      else next.delete(id);
                      setChosen(next);
                    }}
                  />
                ) : step.is === "asking" || step.is === "making" ? (
                  <LoaderCircle size={14} aria-hidden className="turning text-accent" />
                ) : step.is === "made" ? (
                  <CircleCheck size={14} aria-hidden className="text-ok" />
                ) : (
                  <CircleX size={14} aria-hidden className="text-danger" />
                )}
              </span>
              <div className="min-w-0 flex-1">
                <p className="flex items-center gap-2">
                  <KindIcon kind={row.kind} />
                  <span className="min-w-0 truncate font-medium">{row.name}</span>
                  {row.branch !== null && <span className="min-w-0 truncate text-soft">{row.branch}</span>}
                </p>
                {step.is === "asking" && <p className="text-sm text-soft">Asking {label}…</p>}
                {step.is === "impossible" && <p className="text-sm">{step.words}</p>}
                {(step.is === "ready" || step.is === "made") && (
                  <p className="font-mono text-sm wrap-anywhere text-soft" data-selectable>
                    {step.path}
                  </p>
                )}
                {step.is === "ready" && step.words !== "" && <p className="text-sm text-edit">{step.words}</p>}
                {step.is === "made" && <p className="text-sm text-ok">It is there.</p>}
                {step.is === "failed" && <Trouble message={step.error.message} hints={step.error.hints} />}
              </div>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
