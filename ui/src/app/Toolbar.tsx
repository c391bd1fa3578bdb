import { BookOpen, FolderPlus, PanelRight, RefreshCw, Search, ServerCog, X } from "lucide-react";
import type { RefObject } from "react";
import { apiError } from "../backend/backend";
import { Button, IconButton } from "../kit/Button";
import { cx } from "../kit/cx";
import { Hint } from "../kit/Hint";
import { MenuItem, MenuLine, MoreMenu } from "../kit/Menu";
import { complain } from "../kit/Toast";
import { useBackend, useRegistry, useView, useViewStore } from "../store/context";
import { MOD } from "./shortcuts";

/** Search, and what can be done without choosing anything first. */
export function Toolbar({ search }: { search: RefObject<HTMLInputElement | null> }) {
  const backend = useBackend();
  const view = useViewStore();
  const { query, inspector, place } = useView();
  const { hosts, rows } = useRegistry();
  const calling = hosts.some((host) => host.state.is === "calling");
  return (
    <header aria-label="Actions" className="flex h-11 shrink-0 items-center gap-1.5 border-b border-line bg-side px-2">
      <div className="relative mr-auto w-full max-w-[340px] min-w-[120px]">
        <Search size={14} aria-hidden className="pointer-events-none absolute top-[7px] left-2.5 text-soft" />
        <input
          ref={search}
          type="text"
          role="searchbox"
          aria-label="Search"
          placeholder="Search name, branch, path, tag, host"
          title={`Search (${MOD}F or /)`}
          spellCheck={false}
          autoComplete="off"
          value={query}
          onChange={(event) => view.set({ query: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            if (query === "") event.currentTarget.blur();
            else view.set({ query: "" });
          }}
          className="h-7 w-full rounded-md border border-line-strong bg-page pr-7 pl-8 text-ellipsis focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
        />
        {query !== "" && (
          <button
            type="button"
            aria-label="Clear"
            className="absolute top-1 right-1 inline-flex size-5 items-center justify-center rounded text-soft hover:bg-hover"
            onClick={() => {
              view.set({ query: "" });
              search.current?.focus();
            }}
          >
            <X size={13} aria-hidden />
          </button>
        )}
      </div>
      <Hint text="Call the roll of all hosts" keys={`${MOD}R`}>
        <Button
          look="quiet"
          onClick={() => backend.syncNow(null).catch((thrown: unknown) => complain(apiError(thrown)))}
        >
          <RefreshCw size={14} aria-hidden className={cx(calling && "turning")} />
          Sync now
        </Button>
      </Hint>
      <Hint text="Put a folder under roll call" keys={`${MOD}O`}>
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
      <IconButton label="Journal" keys={`${MOD}J`} onClick={() => view.open({ is: "journal" })}>
        <BookOpen size={15} aria-hidden />
      </IconButton>
      <IconButton
        label={inspector ? "Hide inspector" : "Show inspector"}
        keys={`${MOD}I`}
        aria-pressed={inspector}
        onClick={() => view.set({ inspector: !inspector })}
      >
        <PanelRight size={15} aria-hidden />
      </IconButton>
      <MoreMenu label="More actions" className="size-7">
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
      </MoreMenu>
    </header>
  );
}
