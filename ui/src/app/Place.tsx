import { SearchX, Inbox, ScanSearch, Server, Sparkles, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { DecisionBanners } from "../features/decisions/Banners";
import { HostBanner } from "../features/hosts/HostBanner";
import { List } from "../features/workspaces/List";
import { Button } from "../kit/Button";
import { useLines, useRegistry, useView, useViewStore } from "../store/context";
import { EVERYTHING, filterWord, rowIds, type Filter } from "../store/list";

const NONE: Record<Filter, string> = {
  all: "No workspace is listed.",
  attention: "Nothing needs your attention.",
  unpushed: "Every commit that is known of is on a remote.",
  dirty: "No working tree that is known of has changes.",
  missing: "Nothing is missing.",
  pinned: "Nothing is pinned. Pin a workspace in the inspector.",
  safe: "Nothing is known to be safe to delete. What was not checked is looked at when its host is idle.",
  hidden: "Nothing is hidden.",
};

function Empty({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-2 p-8 text-center text-soft">
      {icon}
      <p className="max-w-[360px]">{title}</p>
      {children}
    </div>
  );
}

/** The list of the place that was chosen, or what to do when it is empty. */
export function PlaceView({ onOpen }: { onOpen: () => void }) {
  const { place, query } = useView();
  const view = useViewStore();
  const { hostById, roots } = useRegistry();
  const lines = useLines();
  const host = place.is === "host" ? hostById.get(place.host) : undefined;
  const title = place.is === "filter" ? filterWord(place.filter) : place.is === "tag" ? place.tag : (host?.label ?? "");
  const count = lines.filter((line) => line.is === "row").length;
  const closed = lines.some((line) => line.is === "root" && !line.open);
  const hostRoots = roots.filter((root) => root.host === host?.id);

  return (
    <main aria-label="Workspaces" className="flex min-w-0 flex-1 flex-col bg-page">
      <header className="flex h-9 shrink-0 items-center gap-2 pr-3 pl-3.5">
        <h1 className="truncate font-semibold">{title}</h1>
        <span className="numeric text-soft">
          {count}
          {closed && " shown"}
          <span className="sr-only"> workspaces</span>
        </span>
        {place.is === "filter" && place.filter === "safe" && (
          <span className="ml-auto flex gap-1.5">
            <Button small onClick={() => view.open({ is: "cleanUp" })}>
              <Sparkles size={13} aria-hidden />
              Clean up…
            </Button>
            {count > 0 && (
              <Button small onClick={() => view.open({ is: "delete", ids: rowIds(lines), again: null })}>
                <Trash2 size={13} aria-hidden />
                Delete {count === 1 ? "it" : `these ${count}`}…
              </Button>
            )}
          </span>
        )}
        {host !== undefined && hostRoots.length > 0 && (
          <Button small look="quiet" className="ml-auto" onClick={() => view.open({ is: "onlyHere", host: host.id })}>
            <ScanSearch size={13} aria-hidden />
            Only here…
          </Button>
        )}
      </header>
      <DecisionBanners />
      <HostBanner />
      {lines.length > 0 ? (
        <List lines={lines} onOpen={onOpen} />
      ) : query.trim() !== "" ? (
        <Empty icon={<SearchX size={26} aria-hidden />} title={`Nothing in ${title} matches “${query.trim()}”.`}>
          <div className="flex gap-2">
            <Button onClick={() => view.set({ query: "" })}>Clear search</Button>
            {(place.is !== "filter" || place.filter !== "all") && (
              <Button look="quiet" onClick={() => view.go(EVERYTHING)}>
                Search everywhere
              </Button>
            )}
          </div>
        </Empty>
      ) : host !== undefined && hostRoots.length === 0 ? (
        <Empty icon={<Server size={26} aria-hidden />} title={`Nothing on ${host.label} is under roll call yet.`}>
          <Button look="primary" onClick={() => view.open({ is: "register", host: host.id })}>
            Register a folder…
          </Button>
        </Empty>
      ) : (
        <Empty
          icon={<Inbox size={26} aria-hidden />}
          title={place.is === "filter" ? NONE[place.filter] : `No workspace has the tag ${title} any more.`}
        >
          <Button look="quiet" onClick={() => view.go(EVERYTHING)}>
            Show all
          </Button>
        </Empty>
      )}
    </main>
  );
}
