import { CSPProvider } from "@base-ui/react/csp-provider";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { apiError, type Notice, type Unlisten } from "../backend/backend";
import { JournalLines } from "../features/journal/JournalLines";
import { DropOverlay } from "../features/register/DropOverlay";
import { Stopped } from "../features/start/Stopped";
import { Welcome } from "../features/welcome/Welcome";
import { Inspector } from "../features/workspaces/Inspector";
import { DragArea } from "../kit/Drag";
import { HintProvider } from "../kit/Hint";
import { complain, say, ToastProvider } from "../kit/Toast";
import { StoresProvider, useOperations, useRegistry, useStores, useViewParts, type Stores } from "../store/context";
import { draggedWord, outcomeOf, type Dragged, type Target } from "../store/drag";
import { Announcer } from "./Announcer";
import { Dialogs } from "./Dialogs";
import { PlaceView } from "./Place";
import { goToPart, useShortcuts } from "./shortcuts";
import { SideBar } from "./SideBar";
import { Theme } from "./Theme";
import { Toolbar } from "./Toolbar";

/** Starts the stores and listens to what the application says on its own. */
function useLife(stores: Stores) {
  const { backend, registry, view, annotations } = stores;
  useEffect(() => {
    const unlisten: Unlisten[] = [];
    let ended = false;
    const hold = (listening: Promise<Unlisten>) =>
      listening.then(
        (end) => (ended ? end() : void unlisten.push(end)),
        (thrown: unknown) => complain(apiError(thrown)),
      );
    let heard = false;
    void hold(
      backend.listen("promptsChanged", (prompts) => {
        heard = true;
        view.set({ prompts });
      }),
    ).then(async () => {
      // What waited before the window listened is asked for; what is announced meanwhile is the later one.
      const prompts = await backend.prompts().catch(() => []);
      if (!ended && !heard) view.set({ prompts });
    });
    void hold(backend.listen("dragHover", (dropping) => view.set({ dropping })));
    void hold(
      backend.listen("notice", (notice: Notice) => {
        if (notice.is === "trouble") {
          complain(notice.about);
          return;
        }
        if (notice.is === "banner") {
          const banner = notice.about;
          const show = () => view.open({ is: "banner", banner });
          const label = registry.get().hostById.get(banner.host)?.label ?? "A host";
          say(`${label} shows a text to whoever signs in`, { action: { label: "Read", run: show } });
          return;
        }
        view.set({ dropping: false });
        const outcomes = notice.about;
        const plain = outcomes.every((each) => each.registered !== null && each.registered.inside === null);
        if (outcomes.length === 0) return;
        const details = { label: "Details", run: () => view.open({ is: "outcomes", outcomes }) };
        if (!plain) {
          // What is typed in an open dialog outweighs an answer that can be had a moment later.
          if (view.get().dialog === null) details.run();
          else say("Some dropped folders need a look", { action: details });
          return;
        }
        const [only] = outcomes;
        if (outcomes.length === 1 && only?.registered != null) {
          const { root, already } = only.registered;
          say(already ? `${root.name} was registered already` : `${root.name} is registered`, { detail: root.path });
        } else {
          const already = outcomes.filter((each) => each.registered?.already === true).length;
          say(`${outcomes.length} folders are registered`, {
            detail: already === 0 ? "" : already === 1 ? "1 of them was already." : `${already} of them were already.`,
            action: details,
          });
        }
      }),
    );
    const ignore = annotations.watchFailures((id, error) => {
      // The screen it was typed on says so itself.
      if (view.get().selected === id && view.get().inspector) return;
      say(error.message, {
        detail: `What you wrote is kept. ${error.hints.join(" ")}`,
        action: { label: "Try again", run: () => annotations.flush(id) },
      });
    });
    const leaving = () => annotations.flushAll();
    const seen = () => (document.visibilityState === "visible" ? registry.verify() : leaving());
    // The web view's own menu offers to reload and go back, which mean nothing here.
    const menu = (event: MouseEvent) => {
      const on = event.target;
      if (!(on instanceof Element) || on.closest("input, textarea, [data-selectable]") === null) event.preventDefault();
    };
    window.addEventListener("contextmenu", menu);
    window.addEventListener("pagehide", leaving);
    window.addEventListener("blur", leaving);
    document.addEventListener("visibilitychange", seen);
    void registry.start();
    return () => {
      ended = true;
      for (const end of unlisten) end();
      window.removeEventListener("contextmenu", menu);
      window.removeEventListener("pagehide", leaving);
      window.removeEventListener("blur", leaving);
      document.removeEventListener("visibilitychange", seen);
      leaving();
      ignore();
      registry.stop();
    };
  }, [backend, registry, view, annotations]);
}

/** Shows what was done and what went wrong with it, each once. */
function useWords() {
  const { said, trouble } = useOperations();
  useEffect(() => {
    if (said === null || said.quiet) return;
    say(said.words, said.undo === null ? {} : { action: { label: "Undo", run: said.undo } });
  }, [said]);
  useEffect(() => {
    if (trouble !== null) complain(trouble.error);
  }, [trouble]);
}

/** Where things are dragged: rows and groups, onto the side bar and among each other. */
function Dragging({ children }: { children: ReactNode }) {
  const { registry, operations } = useStores();
  const word = useCallback((dragged: Dragged) => draggedWord(dragged, registry.get()), [registry]);
  const says = useCallback(
    (dragged: Dragged, target: Target) => {
      const outcome = outcomeOf(dragged, target, registry.get());
      return { allowed: outcome.is === "does", words: outcome.words };
    },
    [registry],
  );
  const drop = useCallback(
    (dragged: Dragged, target: Target) => {
      const outcome = outcomeOf(dragged, target, registry.get());
      if (outcome.is === "does") void operations.perform(outcome.operation);
    },
    [registry, operations],
  );
  return (
    <DragArea word={word} says={says} onDrop={drop}>
      {children}
    </DragArea>
  );
}

function Loading() {
  // What is quick needs no word; a flash of one would only be noise.
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return (
    <main aria-busy className="flex flex-1 items-center justify-center bg-page text-soft">
      {slow && <p role="status">Reading the registry…</p>}
    </main>
  );
}

const SHOWN = ["inspector", "dialog", "prompts", "dropping", "place"] as const;

function Frame() {
  const stores = useStores();
  useLife(stores);
  useWords();
  const { backend, view, operations } = stores;
  const { phase, error, roots, rows } = useRegistry();
  const { inspector, dialog, prompts, dropping, place } = useViewParts(SHOWN);
  const search = useRef<HTMLInputElement>(null);

  const shortcuts = useMemo(
    () => ({
      search: () => {
        search.current?.focus();
        search.current?.select();
      },
      sync: () => void backend.syncNow(null).catch((thrown: unknown) => complain(apiError(thrown))),
      register: () => view.open({ is: "register", host: null }),
      journal: () => view.go({ is: "journal" }),
      inspector: () => view.set({ inspector: !view.get().inspector }),
      palette: () => view.open({ is: "palette", page: "everything" }),
      settings: () => view.open({ is: "settings" }),
      help: () => view.open({ is: "shortcuts" }),
      undo: () => void operations.undo(),
      redo: () => void operations.redo(),
      part: goToPart,
    }),
    [backend, view, operations],
  );
  useShortcuts(shortcuts, dialog !== null || prompts.length > 0 || phase !== "ready");

  if (phase === "failed" && error !== null) return <Stopped error={error} />;
  if (phase !== "ready") return <Loading />;
  const first = roots.length === 0 && rows.size === 0 && place.is !== "host" && place.is !== "journal";
  return (
    <Dragging>
      <SideBar />
      <div className="flex min-w-0 flex-1 flex-col">
        <Toolbar search={search} />
        <div className="relative flex min-h-0 flex-1 bg-page">
          {first ? (
            <Welcome />
          ) : (
            <>
              <PlaceView
                onOpen={() => {
                  view.set({ inspector: true });
                  // The inspector may only be about to be mounted.
                  requestAnimationFrame(() =>
                    document.querySelector<HTMLElement>('textarea[aria-label="Note"]')?.focus(),
                  );
                }}
              />
              {inspector && place.is !== "journal" && (
                <Inspector
                  journal={(id) => <JournalLines key={id} workspace={id} compact />}
                  onHide={() => view.set({ inspector: false })}
                />
              )}
            </>
          )}
        </div>
      </div>
      <Announcer />
      <Dialogs />
      {dropping && <DropOverlay />}
    </Dragging>
  );
}

/** The whole window. */
export function App({ stores }: { stores: Stores }) {
  return (
    <CSPProvider disableStyleElements>
      <StoresProvider stores={stores}>
        <HintProvider delay={500}>
          <ToastProvider>
            <Theme />
            <div className="isolate flex h-full">
              <Frame />
            </div>
          </ToastProvider>
        </HintProvider>
      </StoresProvider>
    </CSPProvider>
  );
}
