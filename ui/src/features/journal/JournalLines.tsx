import type { WorkspaceRef } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Trouble } from "../../kit/Trouble";
import { useRegistry } from "../../store/context";
import { useJournal } from "./pages";
import { WHO } from "./who";

/** The journal as a list, newest first: all of it, or what concerns one workspace. It grows as things happen. */
export function JournalLines({ workspace, compact = false }: { workspace: WorkspaceRef | null; compact?: boolean }) {
  const { hostById } = useRegistry();
  const { lines, more, error, reading, readBack } = useJournal({ workspace, host: null, actor: null });

  if (error !== null && lines === null) return <Trouble message={error.message} hints={error.hints} />;
  if (lines === null) return <p className="text-soft">Reading the journal…</p>;
  if (lines.length === 0) return <p className="text-soft">Nothing has happened yet.</p>;
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label="Journal" className="flex flex-col">
        {lines.map((line) => {
          const { word, icon: Icon } = WHO[line.actor];
          return (
            <li key={line.number} className="flex gap-2.5 border-b border-line py-1.5 last:border-0">
              <span title={word} className="mt-0.5 inline-flex shrink-0 text-soft">
                <Icon size={13} aria-hidden />
                <span className="sr-only">{word}</span>
              </span>
              <div className="min-w-0 flex-1" data-selectable>
                <p className="break-words">{line.text}</p>
                <p className="text-xs text-soft">
                  <Age at={line.at} />
                  {!compact && (
                    <>
                      {" · "}
                      {word}
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
        <Button small className="self-start" disabled={reading} onClick={() => void readBack(() => false, 1)}>
          Load more
        </Button>
      )}
    </div>
  );
}
