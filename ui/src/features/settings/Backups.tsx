import { DatabaseBackup } from "lucide-react";
import { useCallback } from "react";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { backupSize, backupWords } from "../../store/backups";
import { useBackend } from "../../store/context";
import { useFresh } from "../../store/fresh";
import { useTask } from "../../store/task";
import { exact } from "../../store/time";

/** The copies of the registry, and one more. */
export function Backups() {
  const backend = useBackend();
  const read = useCallback(() => backend.backups(), [backend]);
  const { value: backups, error, again } = useFresh(read);
  const { busy, error: trouble, run } = useTask();
  return (
    <div className="flex flex-col gap-3">
      <p>
        The registry, with all you wrote, is copied once a day when something changed. The last seven copies are kept in the
        folder <span className="font-mono text-sm">backups</span> of the data folder.
      </p>
      <div className="flex items-center gap-3">
        <Button
          disabled={busy}
          onClick={() =>
            run(backend.backUpNow(), (made) => {
              say("A copy is made", { detail: backupWords(made) });
              again();
            })
          }
        >
          <DatabaseBackup size={14} aria-hidden />
          {busy ? "Copying…" : "Make a copy now"}
        </Button>
      </div>
      {trouble !== null && <Trouble message={trouble.message} hints={trouble.hints} />}
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {backups === null && error === null && <p className="text-soft">Reading…</p>}
      {backups?.length === 0 && <p className="text-soft">There is no copy yet.</p>}
      {backups !== null && backups.length > 0 && (
        <ul aria-label="Copies" className="rounded-md border border-line">
          {backups.map((backup) => (
            <li key={backup.name} className="flex items-center gap-3 border-b border-line px-3 py-1.5 last:border-0">
              <span className="min-w-0 flex-1">
                <span className="block">{exact(backup.takenAt)}</span>
                <span className="block text-sm text-soft">{backupWords(backup)}</span>
              </span>
              <span className="numeric shrink-0 text-right text-sm text-soft">
                <Age at={backup.takenAt} className="block" />
                <span className="block">{backupSize(backup)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-soft">
        Should the registry be damaged, the window offers these copies in its place; the damaged file is set aside, not
        deleted.
      </p>
    </div>
  );
}
