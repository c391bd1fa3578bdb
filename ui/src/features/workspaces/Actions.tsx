import { ExternalLink, FolderGit2 } from "lucide-react";
import { useEffect, useState } from "react";
import { apiError, type Openers, type WorkspaceRow } from "../../backend/backend";
import { copy } from "../../kit/Copy";
import { ButtonMenu, MenuItem, MenuLine } from "../../kit/Menu";
import { complain, say } from "../../kit/Toast";
import { useBackend, useViewStore } from "../../store/context";

/** What a workspace can be opened with, and copied; read when the menu opens. */
export function OpenItems({ row }: { row: WorkspaceRow }) {
  const backend = useBackend();
  const [openers, setOpeners] = useState<Openers | null>(null);
  useEffect(() => {
    backend.openers(row.id).then(setOpeners, (thrown: unknown) => complain(apiError(thrown)));
  }, [backend, row.id]);
  if (openers === null) return <MenuItem disabled>Looking…</MenuItem>;
  const opened = (work: Promise<void>) => work.catch((thrown: unknown) => complain(apiError(thrown)));
  const { path, ssh, branch, page } = openers;
  return (
    <>
      {openers.openers.map((it) => (
        <MenuItem key={it.id} onClick={() => opened(backend.openWith(row.id, it.id))}>
          {it.label}
        </MenuItem>
      ))}
      {page !== null && (
        <MenuItem title={page} onClick={() => opened(backend.openPage(row.id))}>
          Web page
        </MenuItem>
      )}
      {openers.openers.length === 0 && page === null && <MenuItem disabled>No program was found for it</MenuItem>}
      <MenuLine />
      <MenuItem onClick={() => copy(path, () => say("The path is copied"))}>Copy path</MenuItem>
      {ssh !== null && <MenuItem onClick={() => copy(ssh, () => say("The ssh command is copied"))}>Copy ssh command</MenuItem>}
      {branch !== null && <MenuItem onClick={() => copy(branch, () => say("The branch is copied"))}>Copy branch</MenuItem>}
    </>
  );
}

/** What can be done with a workspace, deletion aside. */
export function Actions({ row }: { row: WorkspaceRow }) {
  const backend = useBackend();
  const view = useViewStore();
  const there = row.presence === "present";
  const unlock = () =>
    backend.unlock(row.id).then(
      () => say(`${row.name} is unlocked`),
      (thrown: unknown) => complain(apiError(thrown)),
    );
  return (
    <div className="mt-2 flex flex-wrap gap-1.5">
      <ButtonMenu label="Open" icon={<ExternalLink size={13} aria-hidden />}>
        <OpenItems row={row} />
      </ButtonMenu>
      {row.kind !== "directory" && (
        <ButtonMenu label="Worktree" icon={<FolderGit2 size={13} aria-hidden />}>
          <MenuItem onClick={() => view.open({ is: "create", of: row.id })}>New worktree…</MenuItem>
          <MenuItem onClick={() => view.open({ is: "fetch", ids: [row.id] })}>Fetch</MenuItem>
          {row.kind === "worktree" && (
            <>
              <MenuLine />
              {row.locked ? (
                <MenuItem onClick={unlock}>Unlock</MenuItem>
              ) : (
                <MenuItem onClick={() => view.open({ is: "worktree", id: row.id, act: "lock" })}>Lock…</MenuItem>
              )}
              {there && (
                <MenuItem disabled={row.locked} onClick={() => view.open({ is: "worktree", id: row.id, act: "move" })}>
                  Move…
                </MenuItem>
              )}
              <MenuItem onClick={() => view.open({ is: "worktree", id: row.id, act: "repair" })}>Repair…</MenuItem>
              {row.presence === "prunable" && (
                <MenuItem danger onClick={() => view.open({ is: "worktree", id: row.id, act: "prune" })}>
                  Prune this record…
                </MenuItem>
              )}
            </>
          )}
        </ButtonMenu>
      )}
    </div>
  );
}
