import { Command, FolderPlus, PanelRight, RefreshCw, Search, ServerCog, X } from "lucide-react";
import { useState, type RefObject } from "react";
import { apiError } from "../backend/backend";
import { Button, IconButton } from "../kit/Button";
import { cx } from "../kit/cx";
import { Hint } from "../kit/Hint";
import { keyWord } from "../kit/keys";
import { MenuItem, MenuLine, MoreMenu } from "../kit/Menu";
import { complain } from "../kit/Toast";
import { useBackend, useOperations, useRegistry, useStores, useView, useViewStore } from "../store/context";
import { TOKENS } from "../store/search";

/** What can be searched by, beside words; it shows while the field has the focus and nothing is typed. */
function TokenHelp({ onPick }: { onPick: (token: string) => void }) {
  return (
    <div
      role="group"
      aria-label="Search by"
      className="appear absolute top-8 left-0 z-20 w-[340px] rounded-lg border border-line bg-raised p-1 shadow-lift"
    >
      <p className="px-2 pt-1 pb-0.5 text-xs text-soft">Words, and any of these. A minus before one turns it around.</p>
      <ul>
        {TOKENS.map(([token, what, example]) => (
          <li key={token}>
            <button
              type="button"
              // A press must not take the focus from the field first.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onPick(token)}
              className="flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
            >
              <span className="w-14 shrink-0 font-mono text-sm">{token}</span>
              <span className="min-w-0">
                {what}
                <span className="block text-xs text-soft">{example}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Search, and what can be done without choosing anything first. */
export function Toolbar({ search }: { search: RefObject<HTMLInputElement | null> }) {
  const backend = useBackend();
  const view = useViewStore();
  const { operations } = useStores();
  const { done, undone } = useOperations();
  const { query, inspector, place } = useView();
  const { hosts, rows } = useRegistry();
  const [within, setWithin] = useState(false);
  const calling = hosts.some((host) => host.state.is === "calling");
  const type = (text: string) => view.set({ query: text, ...(place.is === "journal" ? { place: { is: "filter", filter: "all" } as const } : {}) });
  return (
    <header aria-label="Actions" data-part="actions" className="flex h-11 shrink-0 items-center gap-1.5 border-b border-line bg-side px-2">
      <div
        className="relative mr-auto w-full max-w-[340px] min-w-[120px]"
        onFocus={() => setWithin(true)}
        onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setWithin(false)}
      >
        <Search size={14} aria-hidden className="pointer-events-none absolute top-[7px] left-2.5 text-soft" />
        <input
          ref={search}
          type="text"
          role="searchbox"
          aria-label="Search"
          placeholder="Search name, branch, note, tag, host"
          title={`Search (${keyWord("Mod+F")} or /)`}
          spellCheck={false}
          autoComplete="off"
          value={query}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") {
              event.preventDefault();
              document.querySelector<HTMLElement>('[data-part="workspaces"] [role="row"][tabindex="0"]')?.focus();
            }
            if (event.key !== "Escape") return;
            if (query === "") event.currentTarget.blur();
            else type("");
          }}
          className="h-7 w-full rounded-md border border-line-strong bg-page pr-7 pl-8 text-ellipsis focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
        />
        {query !== "" && (
          <button
            type="button"
            aria-label="Clear"
            className="absolute top-1 right-1 inline-flex size-5 items-center justify-center rounded text-soft hover:bg-hover"
            onClick={() => {
              type("");
              search.current?.focus();
            }}
          >
            <X size={13} aria-hidden />
          </button>
        )}
        {within && query === "" && (
          <TokenHelp
            onPick={(token) => {
              type(token);
              search.current?.focus();
            }}
          />
        )}
      </div>
      <Hint text="Call the roll of all hosts" keys={keyWord("Mod+R")}>
        <Button
          look="quiet"
          onClick={() => backend.syncNow(null).catch((thrown: unknown) => complain(apiError(thrown)))}
        >
          <RefreshCw size={14} aria-hidden className={cx(calling && "turning")} />
          Sync now
        </Button>
      </Hint>
      <Hint text="Put a folder under roll call" keys={keyWord("Mod+O")}>
        <Button
          look="quiet"
          onClick={() => view.open({ is: "register", host: place.is === "host" ? place.host : null })}
        >
          <FolderPlus size={14} aria-hidden />
          Register…
        </Button>
      </Hint>
      <Hint text="Add a machine you reach over SSH">
        <Button look="quiet" onClick={() => view.open({ is: "addHost" })}>
          <ServerCog size={14} aria-hidden />
          Add host…
        </Button>
      </Hint>
      <IconButton label="Commands" keys={keyWord("Mod+K")} onClick={() => view.open({ is: "palette", page: "everything" })}>
        <Command size={15} aria-hidden />
      </IconButton>
      <IconButton
        label={inspector ? "Hide inspector" : "Show inspector"}
        keys={keyWord("Mod+I")}
        aria-pressed={inspector}
        onClick={() => view.set({ inspector: !inspector })}
      >
        <PanelRight size={15} aria-hidden />
      </IconButton>
      <MoreMenu label="More actions" className="size-7">
        <MenuItem disabled={done.length === 0} keys={keyWord("Mod+Z")} onClick={() => void operations.undo()}>
          Undo
        </MenuItem>
        <MenuItem disabled={undone.length === 0} keys={keyWord("Mod+Shift+Z")} onClick={() => void operations.redo()}>
          Redo
        </MenuItem>
        <MenuLine />
        <MenuItem onClick={() => view.open({ is: "cleanUp" })}>Clean up…</MenuItem>
        <MenuItem
          disabled={rows.size === 0}
          onClick={() => {
            const inGit = [...rows.values()].filter(
              (row) => row.kind !== "directory" && row.presence !== "missing" && !row.untracked,
            );
            view.open({ is: "fetch", ids: inGit.map((row) => row.id) });
          }}
        >
          Fetch everywhere…
        </MenuItem>
        <MenuLine />
        <MenuItem onClick={() => view.open({ is: "export" })}>Export annotations…</MenuItem>
        <MenuItem onClick={() => view.open({ is: "import" })}>Import annotations…</MenuItem>
        <MenuLine />
        <MenuItem keys={keyWord("Mod+,")} onClick={() => view.open({ is: "settings" })}>
          Settings…
        </MenuItem>
        <MenuItem keys="F1" onClick={() => view.open({ is: "shortcuts" })}>
          Keyboard shortcuts
        </MenuItem>
      </MoreMenu>
    </header>
  );
}
