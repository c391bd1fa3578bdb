import {
  ArchiveRestore,
  Bookmark,
  BookOpen,
  CircleHelp,
  Download,
  FolderGit2,
  FolderPlus,
  FolderTree,
  FolderX,
  LayoutGrid,
  Palette,
  PanelRight,
  Pin,
  Plus,
  Redo2,
  RefreshCw,
  ScanSearch,
  ServerCog,
  Settings,
  Sparkles,
  Tag,
  Trash2,
  Undo2,
  Upload,
  type LucideIcon,
} from "lucide-react";
import { useMemo } from "react";
import { apiError } from "../../backend/backend";
import { HostIcon } from "../../kit/HostMark";
import { KindIcon } from "../../kit/KindIcon";
import { complain } from "../../kit/Toast";
import { useCounts, useMarkedRows, useRegistry, useStores } from "../../store/context";
import { byStanding, FILTERS, filterWord, groupTree } from "../../store/list";
import { usePreferences } from "../../store/preferences";
import { goToView } from "../../store/saved";
import { FUZZY, FUZZY_MOST } from "../../store/search";
import type { PalettePage } from "../../store/view";
import { many } from "../../store/words";
import type { Offer } from "./PaletteDialog";

/** Words from which on not all orders of them are tried. */
const ORDERS = 4;
/** Matches up to which the best are looked for; more are shown as they stand. */
const RANKED = 5_000;

/** Those that a few letters find, the best first; all, as they stand, where nothing is typed. */
export function rank(offers: readonly Offer[], text: string): readonly Offer[] {
  const typed = text.trim();
  if (typed === "") return offers;
  if (typed.length > FUZZY_MOST) {
    const part = typed.toLowerCase();
    return offers.filter((each) => `${each.name} ${each.detail}`.toLowerCase().includes(part));
  }
  const words = offers.map((each) => `${each.name} ${each.detail}`);
  const [found, , order] = FUZZY.search(words, typed, ORDERS, RANKED);
  if (found === null) return [];
  const places = order === null ? found : order.map((at) => found[at] ?? 0);
  return places.flatMap((at) => offers[at] ?? []);
}

type Part = Partial<Offer> & { id: string; name: string; run: () => void };

function offer(part: string, icon: LucideIcon | null, rest: Part): Offer {
  return { part, detail: "", keys: null, icon, mark: null, ...rest };
}

/** Everything that can be done anywhere, and with the marked rows. */
function useActions(): readonly Offer[] {
  const { backend, view, operations } = useStores();
  const { hosts, rows, views } = useRegistry();
  const { preferences, choose } = usePreferences();
  const marked = useMarkedRows();
  return useMemo(() => {
    const ids = marked.map((row) => row.id);
    const [first] = marked;
    const name = first === undefined ? "" : marked.length === 1 ? first.name : many(marked.length, "workspace", "workspaces");
    const failed = (thrown: unknown) => complain(apiError(thrown));
    const inGit = marked.filter((row) => row.kind !== "directory" && row.presence !== "missing");
    const deletable = marked.filter((row) => !row.deleting && row.presence !== "missing" && !row.untracked);
    const pinned = marked.every((row) => row.pinned);
    const here: Offer[] = [];
    const does = (icon: LucideIcon, id: string, title: string, keys: string | null, run: () => void) =>
      here.push(offer(`With ${name}`, icon, { id, name: title, keys, run }));
    if (first !== undefined) {
      does(Pin, "pin", pinned ? "Unpin" : "Pin", "P", () => void operations.perform({ is: "pin", ids, on: !pinned }));
      does(FolderTree, "group", "Move to group…", "M", () => view.open({ is: "palette", page: "group" }));
      does(Tag, "tag", "Tag…", "T", () => view.open({ is: "palette", page: "tag" }));
      if (hosts.length > 1 && inGit.length > 0) {
        does(ServerCog, "host", "Make on another host…", "H", () => view.open({ is: "palette", page: "host" }));
      }
      if (inGit.length > 0) {
        if (marked.length === 1) does(FolderGit2, "worktree", "New worktree…", null, () => view.open({ is: "create", of: first.id }));
        does(Download, "fetch", "Fetch", null, () => view.open({ is: "fetch", ids: inGit.map((row) => row.id) }));
      }
      does(FolderX, "untrack", "Untrack", null, () => void operations.perform({ is: "untrack", ids, on: true }));
      if (deletable.length > 0) {
        does(Trash2, "delete", "Delete…", "Delete", () =>
          void operations.perform({ is: "delete", ids: deletable.map((row) => row.id) }),
        );
      }
    }
    const all: Offer[] = [];
    const add = (icon: LucideIcon, id: string, title: string, keys: string | null, run: () => void, detail = "") =>
      all.push(offer("Actions", icon, { id, name: title, keys, run, detail }));
    add(RefreshCw, "sync", "Sync now", "Mod+R", () => void backend.syncNow(null).catch(failed), "call the roll of all hosts");
    add(FolderPlus, "register", "Register a folder…", "Mod+O", () => view.open({ is: "register", host: null }));
    add(ServerCog, "addHost", "Add a host…", null, () => view.open({ is: "addHost" }), "a machine you reach over SSH");
    add(Sparkles, "cleanUp", "Clean up…", null, () => view.open({ is: "cleanUp" }), "what is merged or was never used");
    add(Plus, "newGroup", "New group…", null, () => view.open({ is: "group", id: null, parent: null, members: [] }));
    add(Bookmark, "saveView", "Save this view…", null, () => view.open({ is: "saveView", id: null }));
    add(Undo2, "undo", "Undo", "Mod+Z", () => void operations.undo());
    add(Redo2, "redo", "Redo", "Mod+Shift+Z", () => void operations.redo());
    add(Download, "fetchAll", "Fetch everywhere…", null, () => {
      const some = [...rows.values()].filter((row) => row.kind !== "directory" && row.presence !== "missing" && !row.untracked);
      view.open({ is: "fetch", ids: some.map((row) => row.id) });
    });
    add(BookOpen, "journal", "Journal", "Mod+J", () => view.go({ is: "journal" }));
    add(ArchiveRestore, "trash", "Trash", null, () => view.open({ is: "trash" }), "what was deleted and can be restored");
    add(CircleHelp, "pending", "Pending deletions", null, () => view.open({ is: "pending" }));
    add(LayoutGrid, "picture", "Show what takes up space", null, () => view.set({ picture: true }));
    add(PanelRight, "inspector", "Show or hide the inspector", "Mod+I", () => view.set({ inspector: !view.get().inspector }));
    add(Upload, "export", "Export annotations…", null, () => view.open({ is: "export" }));
    add(Download, "import", "Import annotations…", null, () => view.open({ is: "import" }));
    add(Settings, "settings", "Settings…", "Mod+,", () => view.open({ is: "settings" }));
    add(CircleHelp, "shortcuts", "Keyboard shortcuts", "F1", () => view.open({ is: "shortcuts" }));
    add(Palette, "kit", "Design system", null, () => view.open({ is: "kit" }), "everything the window is made of");
    for (const theme of ["light", "dark", "system"] as const) {
      if (theme === preferences.theme) continue;
      const title = theme === "system" ? "Follow the system’s light and dark" : `Use the ${theme} theme`;
      add(Palette, `theme:${theme}`, title, null, () => void choose({ theme }));
    }
    const places: Offer[] = [
      ...FILTERS.map((filter) =>
        offer("Go to", null, { id: `filter:${filter}`, name: filterWord(filter), run: () => view.go({ is: "filter", filter }) }),
      ),
      ...views.map((each) =>
        offer("Go to", Bookmark, { id: `view:${each.id}`, name: each.name, detail: "saved view", run: () => goToView(view, each) }),
      ),
      ...hosts.flatMap((host) => [
        offer("Go to", null, {
          id: `host:${host.id}`,
          name: host.label,
          detail: host.local ? "this machine" : host.address,
          mark: <HostIcon host={host} />,
          run: () => view.go({ is: "host", host: host.id }),
        }),
        offer("Actions", ScanSearch, {
          id: `only:${host.id}`,
          name: `Only on ${host.label}…`,
          detail: "what exists there and nowhere else",
          run: () => view.open({ is: "onlyHere", host: host.id }),
        }),
      ]),
    ];
    return [...here, ...all, ...places];
  }, [backend, view, operations, hosts, rows, views, preferences, choose, marked]);
}

function usePlaces(): readonly Offer[] {
  const { view } = useStores();
  const { groups } = useRegistry();
  const { tags } = useCounts();
  return useMemo(
    () => [
      ...groupTree(groups).map(({ group }) =>
        offer("Go to", FolderTree, { id: `go:${group.id}`, name: group.name, detail: "group", run: () => view.go({ is: "group", group: group.id }) }),
      ),
      ...tags.map(([tag]) =>
        offer("Go to", Tag, { id: `tag:${tag}`, name: tag, detail: "tag", run: () => view.go({ is: "tag", tag }) }),
      ),
    ],
    [view, groups, tags],
  );
}

function useWorkspaces(wanted: boolean): readonly Offer[] {
  const { view } = useStores();
  const { rows, hostById } = useRegistry();
  return useMemo(() => {
    if (!wanted) return [];
    return [...rows.values()]
      .filter((row) => !row.untracked)
      .toSorted(byStanding)
      .map((row) =>
        offer("Workspaces", null, {
          id: row.id,
          name: row.name,
          detail: [hostById.get(row.host)?.label, row.branch === row.name ? null : row.branch, row.path].filter(Boolean).join(" · "),
          mark: <KindIcon kind={row.kind} size={14} />,
          run: () => view.show(row.id),
        }),
      );
  }, [wanted, view, rows, hostById]);
}

/** The groups, tags or hosts that the marked rows could go to. */
function useTargets(page: PalettePage, text: string): readonly Offer[] {
  const { operations, view } = useStores();
  const { groups, groupById, hosts } = useRegistry();
  const { tags } = useCounts();
  const marked = useMarkedRows();
  return useMemo(() => {
    const ids = marked.map((row) => row.id);
    const typed = text.trim();
    if (ids.length === 0) return [];
    switch (page) {
      case "group": {
        const offers = groupTree(groups)
          .filter(({ group }) => !marked.every((row) => row.group === group.id))
          .map(({ group }) =>
            offer("Groups", FolderTree, {
              id: group.id,
              name: group.name,
              detail: group.parent === null ? "" : `below ${groupById.get(group.parent)?.name ?? ""}`,
              run: () => void operations.perform({ is: "group", ids, group: group.id }),
            }),
          );
        if (marked.some((row) => row.group !== null)) {
          offers.push(
            offer("Groups", FolderX, { id: "none", name: "Out of its group", run: () => void operations.perform({ is: "group", ids, group: null }) }),
          );
        }
        return [
          ...offers,
          offer("New", Plus, {
            id: "new",
            name: typed === "" ? "New group…" : `New group “${typed}”…`,
            run: () => view.open({ is: "group", id: null, parent: null, members: ids, name: typed }),
          }),
        ];
      }
      case "tag": {
        const known = tags.map(([tag]) => tag);
        const all = typed !== "" && !known.includes(typed) ? [typed, ...known] : known;
        return all.map((tag) => {
          const on = !marked.every((row) => row.tags.includes(tag));
          return offer(known.includes(tag) ? "Tags" : "New", Tag, {
            id: `tag:${tag}`,
            name: on ? tag : `Take off ${tag}`,
            run: () => void operations.perform({ is: "tag", ids, tag, on }),
          });
        });
      }
      case "host":
        return hosts
          .filter((host) => !marked.every((row) => row.host === host.id))
          .map((host) =>
            offer("Hosts", null, {
              id: host.id,
              name: host.label,
              detail: host.local ? "this machine" : host.address,
              mark: <HostIcon host={host} />,
              run: () => void operations.perform({ is: "host", ids, host: host.id }),
            }),
          );
      case "everything":
        return [];
    }
  }, [page, text, operations, view, groups, groupById, hosts, tags, marked]);
}

/** What the palette offers on a page. */
export function useOffers(page: PalettePage, text: string): readonly Offer[] {
  const actions = useActions();
  const places = usePlaces();
  const targets = useTargets(page, text);
  // Thousands of workspaces are only worth their time once somebody looks for one.
  const workspaces = useWorkspaces(page === "everything" && text.trim() !== "");
  return useMemo(
    () => (page === "everything" ? [...actions, ...places, ...workspaces] : targets),
    [page, actions, places, workspaces, targets],
  );
}
