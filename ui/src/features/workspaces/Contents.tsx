import { ListTree } from "lucide-react";
import type { DetailLine, DetailPart, Details, WorkspaceRef } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Trouble } from "../../kit/Trouble";
import { Unknown } from "../../kit/Unknown";
import { useBackend } from "../../store/context";
import { useJob } from "../../store/job";

function Line({ line }: { line: DetailLine }) {
  return (
    <li className="py-0.5">
      <span className="block wrap-anywhere">{line.text}</span>
      <span className="block text-sm wrap-anywhere text-soft">
        <span className={line.at === null ? undefined : "font-mono"}>{line.mark}</span>
        {line.note !== "" && `, ${line.note}`}
        {line.at !== null && <Age at={line.at} prefix=", " />}
      </span>
    </li>
  );
}

function Part({ part }: { part: DetailPart }) {
  return (
    <section className="mt-2.5">
      <h4 className="text-sm font-medium text-soft">{part.name}</h4>
      {part.unknown !== null ? (
        <p className="wrap-anywhere">
          <Unknown>unknown: {part.unknown}</Unknown>
        </p>
      ) : part.lines.length === 0 ? (
        <p className="text-soft">none</p>
      ) : (
        <ul aria-label={part.name}>
          {part.lines.map((line) => (
            <Line key={`${line.mark} ${line.text}`} line={line} />
          ))}
          {part.more && <li className="text-sm text-soft">and more</li>}
        </ul>
      )}
    </section>
  );
}

/** What is in a workspace: its changed files and commits, read on its host when that is wanted. */
export function Contents({ id }: { id: WorkspaceRef }) {
  const backend = useBackend();
  const { state, start, cancel } = useJob<Details>();
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => start((job) => backend.details(job, id))} disabled={state.is === "running"}>
          <ListTree size={14} aria-hidden />
          {state.is === "running" ? "Reading…" : state.is === "none" ? "Show" : "Show again"}
        </Button>
        {state.is === "running" && <Button onClick={cancel}>Cancel</Button>}
      </div>
      {state.is === "failed" && (
        <div className="mt-2">
          <Trouble message={state.error.message} hints={state.error.hints} />
        </div>
      )}
      {state.is === "done" && (
        <div data-selectable>
          {state.value.heading !== null && (
            <p className="mt-2">
              <span className="text-sm text-soft">Its README begins: </span>
              {state.value.heading}
            </p>
          )}
          {state.value.parts.map((part) => (
            <Part key={part.name} part={part} />
          ))}
          {state.value.parts.length === 0 && <p className="mt-2 text-soft">It is not in git.</p>}
        </div>
      )}
    </>
  );
}
