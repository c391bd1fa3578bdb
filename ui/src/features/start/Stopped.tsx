import { CircleAlert, DatabaseBackup } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { apiError, type ApiError, type BackupRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Confirm } from "../../kit/Dialog";
import { Trouble } from "../../kit/Trouble";
import { backupWords } from "../../store/backups";
import { useBackend, useStores } from "../../store/context";
import { useTask } from "../../store/task";
import { exact } from "../../store/time";

/** Copies that can take the place of a registry that is damaged, and a new beginning. */
function WaysOut({ onOpened }: { onOpened: () => void }) {
  const backend = useBackend();
  const [backups, setBackups] = useState<readonly BackupRow[] | null>(null);
  const [anew, setAnew] = useState(false);
  const { busy, error, run, show } = useTask();

  useEffect(() => {
    backend.backups().then(setBackups, (thrown: unknown) => {
      setBackups([]);
      show(apiError(thrown));
    });
  }, [backend, show]);

  const take = (way: Promise<void>) => {
    setAnew(false);
    run(way, onOpened);
  };

  if (backups === null) return <p className="mt-4 text-soft">Looking for backups…</p>;
  return (
    <section aria-label="Backups" className="mt-4">
      <h2 className="font-semibold">{backups.length === 0 ? "There is no backup" : "Restore a backup"}</h2>
      <p className="mt-0.5 text-soft">
        {backups.length === 0
          ? "You can begin with an empty registry. The damaged file is set aside in the data folder, not deleted; your workspaces on their hosts are not touched."
          : "The damaged file is set aside in the data folder, not deleted. What changed on hosts since the backup is found again at the next roll call; what you wrote since then is not."}
      </p>
      {backups.length > 0 && (
        <ul className="mt-2 max-h-[220px] overflow-y-auto rounded-md border border-line bg-raised">
          {backups.map((backup) => (
            <li key={backup.name} className="flex items-center gap-2.5 border-b border-line px-2.5 py-1.5 last:border-0">
              <DatabaseBackup size={15} aria-hidden className="shrink-0 text-soft" />
              <div className="min-w-0 flex-1">
                <p>
                  Made <Age at={backup.takenAt} />
                </p>
                <p className="text-sm text-soft">{backupWords(backup)}</p>
              </div>
              <Button
                small
                disabled={busy}
                aria-label={`Restore the backup of ${exact(backup.takenAt)}`}
                onClick={() => take(backend.restoreBackup(backup.name))}
              >
                Restore
              </Button>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Trouble className="mt-3" message={error.message} hints={error.hints} />}
      <Button look="quiet" className="mt-3 -ml-2.5" disabled={busy} onClick={() => setAnew(true)}>
        Begin with an empty registry…
      </Button>
      {anew && (
        <Confirm
          title="Begin with an empty registry?"
          action="Begin anew"
          busy={busy}
          onConfirm={() => take(backend.startAnew())}
          onClose={() => setAnew(false)}
        >
          <p>
            You register your folders and hosts again, and what you wrote about workspaces is not there. The damaged file
            stays in the data folder under another name. Nothing on any host is touched.
          </p>
        </Confirm>
      )}
    </section>
  );
}

/** Nothing can be shown: why, and what to do. */
export function Stopped({ error }: { error: ApiError }) {
  const { backend, registry } = useStores();
  const opened = useCallback(() => void registry.start(), [registry]);
  const again = () => {
    // Whether it can be opened now shows when it is read.
    backend.reopen().then(opened, opened);
  };
  return (
    <main className="flex flex-1 items-center justify-center overflow-y-auto bg-page p-8">
      <div role="alert" className="m-auto flex max-w-[520px] gap-4" data-selectable>
        <CircleAlert size={28} aria-hidden className="mt-0.5 shrink-0 text-danger" />
        <div className="min-w-0">
          <h1 className="text-lg font-semibold">Rollcall cannot show your workspaces</h1>
          <p className="mt-1.5 break-words">{error.message}</p>
          {error.hints.length > 0 && (
            <ul className="mt-2 flex list-disc flex-col gap-1 pl-4 text-soft">
              {error.hints.map((hint) => (
                <li key={hint}>{hint}</li>
              ))}
            </ul>
          )}
          <p className="mt-2 text-soft">Nothing was changed or lost.</p>
          <Button className="mt-3" onClick={again}>
            Try again
          </Button>
          {error.code === "registry_damaged" && <WaysOut onOpened={opened} />}
        </div>
      </div>
    </main>
  );
}
