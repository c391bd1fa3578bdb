import { Brush, Radio, UserRound } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { apiError, JOURNAL_PAGE, type ApiError, type JournalLine, type WorkspaceRef } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";

/** Milliseconds without a change before the newest part is read anew. */
const SETTLE = 300;

const WHO = { rollCall: "Roll call", person: "Person", sweep: "Rollcall" } as const;
const ICONS = { rollCall: Radio, person: UserRound, sweep: Brush } as const;

/** The journal, newest first: all of it, or what concerns one workspace. It grows as things happen. */
export function JournalLines({ workspace, compact = false }: { workspace: WorkspaceRef | null; compact?: boolean }) {
  const backend = useBackend();
  const { hostById, revision } = useRegistry();
  const [lines, setLines] = useState<readonly JournalLine[] | null>(null);
  const [more, setMore] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [loading, setLoading] = useState(false);
  const asked = useRef(0);
  const begun = useRef(false);

  const fetch = useCallback(
    (before: number | null) => {
      asked.current += 1;
      const mine = asked.current;
      setLoading(true);
      backend.journal(before, workspace).then(
        (found) => {
          if (asked.current !== mine) return;
          setLoading(false);
          setError(null);
          setLines((old) => {
            if (before !== null) return [...(old ?? []), ...found];
            // What was read further back stays; the newest part is read anew.
            const last = found.at(-1)?.number;
            const older = last === undefined ? [] : (old ?? []).filter((line) => line.number < last);
            return [...found, ...older];
          });
          // Reading the newest part anew says nothing about how far back there is more.
          if (before !== null || !begun.current) setMore(found.length >= JOURNAL_PAGE);
          begun.current = true;
        },
        (thrown: unknown) => {
          if (asked.current !== mine) return;
          setLoading(false);
          setError(apiError(thrown));
        },
      );
    },
    [backend, workspace],
  );

  useEffect(() => {
    if (!begun.current) {
      fetch(null);
      return;
    }
    const timer = setTimeout(() => fetch(null), SETTLE);
    return () => clearTimeout(timer);
  }, [fetch, revision]);

  if (error !== null && lines === null) return <Trouble message={error.message} hints={error.hints} />;
  if (lines === null) return <p className="text-soft">Reading the journal…</p>;
  if (lines.length === 0) return <p className="text-soft">Nothing has happened yet.</p>;
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label="Journal" className="flex flex-col">
        {lines.map((line) => {
          const Icon = ICONS[line.actor];
          return (
            <li key={line.number} className="flex gap-2.5 border-b border-line py-1.5 last:border-0">
              <span title={WHO[line.actor]} className="mt-0.5 inline-flex shrink-0 text-soft">
                <Icon size={13} aria-hidden />
                <span className="sr-only">{WHO[line.actor]}</span>
              </span>
              <div className="min-w-0 flex-1" data-selectable>
                <p className="break-words">{line.text}</p>
                <p className="text-xs text-soft">
                  <Age at={line.at} />
                  {!compact && (
                    <>
                      {" · "}
                      {WHO[line.actor]}
                      {line.host !== null && ` · ${hostById.get(line.host)?.label ?? "a forgotten host"}`}
                    </>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ol>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {more && (
        <Button
          small
          className="self-start"
          disabled={loading}
          onClick={() => fetch(lines.at(-1)?.number ?? null)}
        >
          Load more
        </Button>
      )}
    </div>
  );
}
