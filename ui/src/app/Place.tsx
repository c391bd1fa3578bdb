import { Bookmark, ChartNoAxesGantt, Columns3, Inbox, LayoutGrid, Rows3, ScanSearch, SearchX, Server, Sparkles, Trash2 } from "lucide-react";
import { useDeferredValue, useMemo, type ReactNode } from "react";
import { DecisionBanners } from "../features/decisions/Banners";
import { HostBanner } from "../features/hosts/HostBanner";
import { JournalPage } from "../features/journal/JournalPage";
import { DiskUse } from "../features/pictures/DiskUse";
import { List } from "../features/workspaces/List";
import { columnLook } from "../features/workspaces/columns";
import { Button, IconButton } from "../kit/Button";
import { IconMenu, MenuCheck, MenuChoice, MenuItem, MenuLine } from "../kit/Menu";
import { Sparkline } from "../kit/Sparkline";
import { activityOf } from "../store/activity";
import { useLayout, useLines, useQuery, useRegistry, useView, useViewStore } from "../store/context";
import { COLUMNS, GROUPINGS, keptLayout, type Grouping, type Layout } from "../store/layout";
import { EVERYTHING, filterWord, rowIds, type Filter, type Place } from "../store/list";
import { usePreferences } from "../store/preferences";
import { isAsSaved } from "../store/saved";
import { useNow } from "../store/time";

const NONE: Record<Filter, string> = {
  all: "No workspace is listed.",
  attention: "Nothing needs your attention.",
  unpushed: "Every commit that is known of is on a remote.",
  dirty: "No working tree that is known of has changes.",
  missing: "Nothing is missing.",
  pinned: "Nothing is pinned. Drag a workspace onto Pinned, or press P in the list.",
  safe: "Nothing is known to be safe to delete. What was not checked is looked at when its host is idle.",
  hidden: "Nothing is hidden.",
};

/** Milliseconds within which a picture of weeks stays the same. */
const HOUR = 3_600_000;

const GROUPING_WORDS: Record<Grouping, string> = {
  repository: "Repository",
  host: "Host",
  group: "Group",
  none: "Nothing",
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

/** How the list is laid out; it is kept, unless a saved view says how it wants it. */
function LayoutMenu() {
  const view = useViewStore();
  const { preferences, choose } = usePreferences();
  const { saved, place } = useView();
  const layout = useLayout();
  const change = (part: Partial<Layout>) => {
    const own = { ...view.get().layout, ...part };
    if (saved !== null) {
      view.set({ layout: own });
      return;
    }
    // The order of rows is for now; columns and grouping are how a person likes it.
    const { order = null, ...kept } = own;
    view.set({ layout: order === null ? {} : { order } });
    void choose({ layout: JSON.stringify({ ...keptLayout(preferences), ...kept, order: null }) });
  };
  return (
    <IconMenu label="Columns and grouping" icon={<Columns3 size={15} aria-hidden />}>
      {place.is !== "group" && (
        <>
          <MenuChoice<Grouping>
            name="Group by"
            value={layout.grouping}
            options={GROUPINGS.map((each) => [each, GROUPING_WORDS[each]] as const)}
            onChange={(grouping) => change({ grouping })}
          />
          <MenuLine />
        </>
      )}
      <p className="px-2 pt-1 pb-0.5 text-xs font-medium text-soft">Columns</p>
      {COLUMNS.filter((column) => column !== "name").map((column) => (
        <MenuCheck
          key={column}
          checked={layout.columns.includes(column)}
          onChange={(shown) =>
            change({ columns: COLUMNS.filter((each) => (each === column ? shown : layout.columns.includes(each))) })
          }
        >
          {columnLook(column).title}
        </MenuCheck>
      ))}
      <MenuLine />
      <MenuItem disabled={layout.order === null} onClick={() => view.set({ layout: { ...view.get().layout, order: null } })}>
        As rows stand
      </MenuItem>
    </IconMenu>
  );
}

function placeTitle(place: Place, labels: { host: string | undefined; group: string | undefined; view: string | undefined }): string {
  if (labels.view !== undefined) return labels.view;
  switch (place.is) {
    case "filter":
      return filterWord(place.filter);
    case "tag":
      return place.tag;
    case "host":
      return labels.host ?? "";
    case "group":
      return labels.group ?? "A group that is gone";
    case "journal":
      return "Journal";
  }
}

/** The place that was chosen: its list, its picture, or what to do when it is empty. */
export function PlaceView({ onOpen }: { onOpen: () => void }) {
  const { place } = useView();
  return place.is === "journal" ? <JournalPage /> : <Workspaces onOpen={onOpen} />;
}

function Workspaces({ onOpen }: { onOpen: () => void }) {
  const state = useView();
  const { place, query, saved, picture } = state;
  const view = useViewStore();
  const { hostById, groupById, roots, views, partial } = useRegistry();
  const layout = useLayout();
  const lines = useLines();
  const { trouble } = useQuery();
  const host = place.is === "host" ? hostById.get(place.host) : undefined;
  const group = place.is === "group" ? groupById.get(place.group) : undefined;
  const savedView = views.find((each) => each.id === saved);
  const title = placeTitle(place, { host: host?.label, group: group?.name, view: savedView?.name });
  const rows = useMemo(() => lines.flatMap((line) => (line.is === "row" ? [line.row] : [])), [lines]);
  const count = rows.length;
  const closed = lines.some((line) => line.is === "heading" && !line.open);
  const hostRoots = roots.filter((root) => root.host === host?.id);
  const hour = Math.ceil(useNow() / HOUR) * HOUR;
  // The picture of weeks may come a moment after the rows.
  const settled = useDeferredValue(rows);
  const activity = useMemo(() => activityOf(settled, hour), [settled, hour]);
  const changed = savedView !== undefined && !isAsSaved(savedView, state, layout);
  const savable = savedView === undefined ? query.trim() !== "" || layout.order !== null : changed;

  return (
    <main aria-label="Workspaces" data-part="workspaces" className="flex min-w-0 flex-1 flex-col bg-page">
      <header className="flex h-9 shrink-0 items-center gap-2 pr-2 pl-3.5">
        <h1 className="truncate font-semibold" title={title}>
          {title}
        </h1>
        <span className="numeric shrink-0 text-soft">
          {count}
          {partial && <span title="More are being read">…</span>}
          {closed && " shown"}
          <span className="sr-only"> workspaces</span>
        </span>
        <span className="ml-1 inline-flex min-w-0 shrink overflow-hidden max-[1099px]:hidden">
          <Sparkline values={activity.weeks} label={activity.words} />
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-1">
          {savable && (
            <Button
              small
              look="quiet"
              onClick={() => view.open({ is: "saveView", id: changed ? (savedView?.id ?? null) : null })}
            >
              <Bookmark size={13} aria-hidden />
              {changed ? "Save changes…" : "Save view…"}
            </Button>
          )}
          {place.is === "filter" && place.filter === "safe" && (
            <>
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
            </>
          )}
          {host !== undefined && hostRoots.length > 0 && (
            <Button small look="quiet" onClick={() => view.open({ is: "onlyHere", host: host.id })}>
              <ScanSearch size={13} aria-hidden />
              Only here…
            </Button>
          )}
          <IconButton
            label={picture ? "Show as a list" : "Show what takes up space"}
            aria-pressed={picture}
            onClick={() => view.set({ picture: !picture })}
          >
            {picture ? <Rows3 size={15} aria-hidden /> : <LayoutGrid size={15} aria-hidden />}
          </IconButton>
          <LayoutMenu />
        </span>
      </header>
      {trouble !== null && (
        <p role="status" className="border-b border-line bg-edit-soft px-3.5 py-1 text-sm">
          {trouble}
        </p>
      )}
      <DecisionBanners />
      <HostBanner />
      {picture && count > 0 ? (
        <DiskUse rows={rows} />
      ) : lines.length > 0 ? (
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
          icon={place.is === "group" ? <ChartNoAxesGantt size={26} aria-hidden /> : <Inbox size={26} aria-hidden />}
          title={
            place.is === "filter"
              ? NONE[place.filter]
              : place.is === "group"
                ? "Nothing is in this group. Drag workspaces onto it, or press M in the list."
                : `No workspace has the tag ${title} any more.`
          }
        >
          <Button look="quiet" onClick={() => view.go(EVERYTHING)}>
            Show all
          </Button>
        </Empty>
      )}
    </main>
  );
}
