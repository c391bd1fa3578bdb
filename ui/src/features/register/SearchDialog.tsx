import { useState } from "react";
import {
  apiError,
  type ApiError,
  type FoundRow,
  type HostRef,
  type RegisterOutcome,
  type SearchResult,
} from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { CheckField, SelectField } from "../../kit/Field";
import { FoundLine, Unreadable } from "../../kit/Found";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useJob } from "../../store/job";
import { many } from "../../store/words";
import { OutcomeList } from "./Outcomes";

const DEPTHS = ["2", "4", "6", "8"] as const;

/** Where what was found stands in the result: those that a person most likely wants. */
function likely(found: readonly FoundRow[]): Set<number> {
  const places = found.flatMap((row, at) =>
    !row.listed && (row.kind === "repository" || row.kind === "bare") ? [at] : [],
  );
  return new Set(places);
}

/** Looks for repositories below a folder, and registers those that are chosen. Nothing is registered by itself. */
export function SearchDialog({ host, folder, onClose }: { host: HostRef; folder: string; onClose: () => void }) {
  const backend = useBackend();
  const { hostById } = useRegistry();
  const search = useJob<SearchResult>();
  const [depth, setDepth] = useState<(typeof DEPTHS)[number]>("4");
  const [hidden, setHidden] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [outcomes, setOutcomes] = useState<readonly RegisterOutcome[] | null>(null);
  const { state } = search;

  const begin = () => {
    setError(null);
    search.start(async (job) => {
      const found = await backend.search(job, { host, folder, depth: Number(depth), hidden });
      setChosen(likely(found.found));
      return found;
    });
  };

  const register = () => {
    const job = search.name();
    if (job === null) return;
    setBusy(true);
    setError(null);
    const places = [...chosen].toSorted((one, other) => one - other);
    backend
      .registerFound(job, places)
      .then(setOutcomes, (thrown: unknown) => setError(apiError(thrown)))
      .finally(() => setBusy(false));
  };

  if (outcomes !== null) {
    return (
      <Dialog title="Found and registered" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <OutcomeList outcomes={outcomes} />
      </Dialog>
    );
  }

  const found = state.is === "done" ? state.value : null;
  const listed = found?.found.filter((row) => row.listed).length ?? 0;
  return (
    <Dialog
      title="Search for repositories"
      description={
        <>
          Below <span className="font-mono text-sm wrap-anywhere">{folder}</span> on {hostById.get(host)?.label ?? "an unknown host"}. Nothing is registered by
          itself.
        </>
      }
      width="w-[560px]"
      onClose={onClose}
      footer={
        found === null ? (
          <>
            {state.is === "running" ? (
              <Button onClick={search.cancel}>Cancel search</Button>
            ) : (
              <Button onClick={onClose}>Cancel</Button>
            )}
            <Button look="primary" onClick={begin} disabled={state.is === "running"}>
              {state.is === "running" ? "Searching…" : "Search"}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={search.cancel}>Search again</Button>
            <Button look="primary" disabled={busy || chosen.size === 0} onClick={register}>
              {busy ? "Registering…" : `Register ${chosen.size}`}
            </Button>
          </>
        )
      }
    >
      {found === null ? (
        <div className="flex flex-col gap-3">
          <SelectField
            label="How deep"
            value={depth}
            options={DEPTHS.map((each) => [each, `${each} folders`] as const)}
            onChange={setDepth}
            help="What lies inside a repository, other disks, node_modules and target are left out."
          />
          <CheckField checked={hidden} onChange={setHidden}>
            Look into hidden folders, too
          </CheckField>
          {state.is === "running" && (
            <p role="status" className="text-soft">
              {state.progress === null
                ? "Looking…"
                : `${many(state.progress.first, "folder", "folders")} looked at, ${many(state.progress.second, "repository", "repositories")} found`}
            </p>
          )}
          {state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
        </div>
      ) : (
        <>
          <p className="mb-1.5 text-sm text-soft">
            {many(found.found.length, "repository", "repositories")} in {many(found.lookedAt, "folder", "folders")}
            {listed > 0 && `, ${listed === found.found.length ? "all" : listed} of them listed already`}.
          </p>
          {found.found.length > listed && (
            <ul aria-label="What was found" data-selectable>
              {found.found.map(
                (row, at) =>
                  !row.listed && (
                    <FoundLine
                      key={row.path}
                      row={row}
                      chosen={chosen.has(at)}
                      onChange={(wanted) => {
                        const next = new Set(chosen);
                        if (wanted) next.add(at);
                        else next.delete(at);
                        setChosen(next);
                      }}
                    />
                  ),
              )}
            </ul>
          )}
          <Unreadable paths={found.unreadable} />
          {error !== null && <Trouble message={error.message} hints={error.hints} />}
        </>
      )}
    </Dialog>
  );
}
