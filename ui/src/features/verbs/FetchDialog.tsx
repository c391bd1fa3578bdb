import { Check, X } from "lucide-react";
import { useEffect } from "react";
import type { FetchOutcome, WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";
import { useJob } from "../../store/job";
import { many } from "../../store/words";

/** Fetches into repositories and says how that went in each. */
export function FetchDialog({ ids, onClose }: { ids: readonly WorkspaceRef[]; onClose: () => void }) {
  const backend = useBackend();
  const { state, start } = useJob<FetchOutcome[]>();
  useEffect(() => start((job) => backend.fetch(job, [...ids])), [backend, ids, start]);
  const outcomes = state.is === "done" ? state.value : [];
  const failed = outcomes.filter((it) => it.error !== null);
  const running = state.is === "running" || state.is === "none";
  return (
    <Dialog
      title="Fetch"
      description="From every remote of each repository, as it is configured there. Nobody is asked for a password."
      onClose={onClose}
      footer={<Button onClick={onClose}>{running ? "Stop" : "Close"}</Button>}
    >
      {running && (
        <p role="status" className="text-soft">
          {state.is === "running" && state.progress !== null
            ? `${state.progress.first} of ${many(state.progress.second, "repository", "repositories")} done`
            : "Asking…"}
        </p>
      )}
      {state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
      {state.is === "done" && (
        <>
          <p role="status" className="mb-2">
            {outcomes.length === 0 && "Nothing here belongs to a repository."}
            {outcomes.length > 0 &&
              (failed.length === 0
                ? `${many(outcomes.length, "repository is", "repositories are")} up to date with their remotes.`
                : `${outcomes.length - failed.length} of ${outcomes.length} fetched; ${failed.length} did not work.`)}
          </p>
          <ul aria-label="What came of it" className="flex flex-col gap-1.5">
            {[...failed, ...outcomes.filter((it) => it.error === null)].map((it) => (
              <li key={it.id} className="flex gap-2">
                {it.error === null ? (
                  <Check size={14} aria-hidden className="mt-0.5 shrink-0 text-ok" />
                ) : (
                  <X size={14} aria-hidden className="mt-0.5 shrink-0 text-danger" />
                )}
                <div className="min-w-0 flex-1">
                  <p>
                    <span className="font-medium">{it.name}</span> <span className="text-soft">on {it.hostLabel}</span>
                  </p>
                  {it.error !== null && <p className="text-sm break-words text-soft">{it.error.message}</p>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
