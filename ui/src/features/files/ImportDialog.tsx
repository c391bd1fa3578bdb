import { useId, useState, type FormEvent } from "react";
import type { ImportMode, ImportReport } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";
import { useTask } from "../../store/task";
import { many } from "../../store/words";
import { FileField } from "../../kit/FileField";

const MODES: readonly { mode: ImportMode; word: string; help: string }[] = [
  {
    mode: "merge",
    word: "Merge",
    help: "What is here stays. Empty fields are filled, tags are joined, a different note is added below yours.",
  },
  {
    mode: "replace",
    word: "Replace",
    help: "Each workspace in the file gets exactly what the file says. Others are left alone.",
  },
];

const workspaces = (count: number) => many(count, "workspace", "workspaces");

function changes(report: ImportReport): boolean {
  return report.changed + report.groups + report.views > 0;
}

/** What is made besides, or nothing. */
function besides({ groups, views }: ImportReport): string {
  const made = [
    ...(groups > 0 ? [many(groups, "group", "groups")] : []),
    ...(views > 0 ? [many(views, "saved view", "saved views")] : []),
  ];
  return made.join(" and ");
}

function Report({ report }: { report: ImportReport }) {
  return (
    <section aria-label="What would change" className="flex flex-col gap-2">
      <p>
        <span className="font-medium">
          {!changes(report)
            ? "Nothing would change."
            : report.changed === 0
              ? "No workspace would change."
              : `${workspaces(report.changed)} would change.`}
          {besides(report) !== "" && ` ${besides(report)} would be taken in.`}
        </span>{" "}
        <span className="text-soft">
          Written <Age at={report.exportedAt} />.
          {report.unchanged > 0 && ` ${workspaces(report.unchanged)} say the same already.`}
          {report.unknown > 0 && ` ${workspaces(report.unknown)} of the file are not listed here and left out.`}
        </span>
      </p>
      {(report.rows.length > 0 || report.missing.length > 0) && (
        <ul
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
          tabIndex={0}
          aria-label="Workspaces in the file"
          className="max-h-[200px] overflow-y-auto rounded-md border border-line text-sm"
        >
          {[...report.rows, ...report.missing].map((row) => (
            <li key={`${row.host}:${row.path}`} className="flex gap-2 border-b border-line px-2.5 py-1 last:border-0">
              <span className="min-w-0 flex-1 truncate" title={row.path}>
                {row.path}
              </span>
              <span className="shrink-0 text-soft">{row.host}</span>
              <span className="w-[150px] shrink-0 truncate text-right text-soft" title={row.fields.join(", ")}>
                {row.fields.length === 0 ? "not listed here" : row.fields.join(", ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Takes annotations in from a file, after showing what would change. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const name = useId();
  const [file, setFile] = useState("");
  const [mode, setMode] = useState<ImportMode>("merge");
  const [report, setReport] = useState<ImportReport | null>(null);
  const { busy, error, run, show } = useTask();

  const anew = () => {
    setReport(null);
    show(null);
  };

  const ask = (dryRun: boolean) => {
    if (busy || file.trim() === "") return;
    run(backend.importAnnotations(file, mode, dryRun), (found) => {
      if (dryRun) {
        setReport(found);
        return;
      }
      say(
        found.changed === 0 && changes(found)
          ? `Imported: ${besides(found)}`
          : `Annotations of ${workspaces(found.changed)} are imported`,
      );
      onClose();
    });
  };

  return (
    <Dialog
      title="Import annotations"
      description="From a file that Rollcall exported, here or on another machine."
      width="w-[600px]"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {report === null ? (
            <Button type="submit" form="import" look="primary" disabled={busy || file.trim() === ""}>
              Show what would change
            </Button>
          ) : (
            <Button look="primary" disabled={busy || !changes(report)} onClick={() => ask(false)}>
              Import
            </Button>
          )}
        </>
      }
    >
      <form
        id="import"
        className="flex flex-col gap-3"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          ask(true);
        }}
      >
        <FileField
          value={file}
          write={false}
          invalid={error !== null}
          busy={busy}
          onTrouble={show}
          onChange={(path) => {
            setFile(path);
            anew();
          }}
        />
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 text-sm font-medium text-soft">Where both say something</legend>
          {MODES.map(({ mode: each, word, help }) => (
            <div key={each} className="flex items-start gap-2">
              <input
                type="radio"
                id={`${name}-${each}`}
                name={name}
                value={each}
                checked={mode === each}
                className="mt-1 accent-accent"
                onChange={() => {
                  setMode(each);
                  anew();
                }}
              />
              <label htmlFor={`${name}-${each}`}>
                <span className="font-medium">{word}.</span> <span className="text-soft">{help}</span>
              </label>
            </div>
          ))}
        </fieldset>
        {report !== null && <Report report={report} />}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
