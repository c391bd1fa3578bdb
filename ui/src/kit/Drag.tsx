import {
  DndContext,
  MouseSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
  type Announcements,
  type CollisionDetection,
  type DragEndEvent,
} from "@dnd-kit/core";
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { Dragged, Target } from "../store/drag";
import { cx } from "./cx";

/** Pixels after which a press becomes a drag. */
const SLACK = 6;

/** Lists scroll when something is held near their upper or lower end. */
const AUTO_SCROLL = { threshold: { x: 0, y: 0.06 } };

/** What is dragged now, for what only shows itself then. */
const Now = createContext<Dragged | null>(null);

/**
 * What the pointer is really over, the smallest first: gaps lie over what they are gaps of. Rectangles alone would also
 * hit what is scrolled out of sight below something else.
 */
const under: CollisionDetection = ({ droppableContainers, pointerCoordinates }) => {
  if (pointerCoordinates === null) return [];
  const on = document.elementFromPoint(pointerCoordinates.x, pointerCoordinates.y);
  if (on === null) return [];
  const area = (node: HTMLElement) => {
    const { width, height } = node.getBoundingClientRect();
    return width * height;
  };
  return droppableContainers
    .flatMap(({ id, node }) => (node.current !== null && node.current.contains(on) ? [{ id, area: area(node.current) }] : []))
    .toSorted((a, b) => a.area - b.area)
    .map(({ id }) => ({ id }));
};

/** What is dragged, at the pointer, with what dropping it there would do. */
function Held({ word, told }: { word: string; told: { allowed: boolean; words: string } | null }) {
  const chip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const moved = (event: MouseEvent) => {
      if (chip.current === null) return;
      const { offsetWidth: width, offsetHeight: height } = chip.current;
      const x = Math.min(event.clientX + 14, window.innerWidth - width - 4);
      const y = Math.min(event.clientY + 12, window.innerHeight - height - 4);
      chip.current.style.transform = `translate(${x}px, ${y}px)`;
      chip.current.style.visibility = "visible";
    };
    window.addEventListener("mousemove", moved);
    return () => window.removeEventListener("mousemove", moved);
  }, []);
  return (
    <div
      ref={chip}
      data-testid="dragged"
      aria-hidden
      className="pointer-events-none invisible fixed top-0 left-0 z-60 w-max max-w-[280px] rounded-md border border-line-strong bg-raised px-2.5 py-1 shadow-lift"
    >
      <p className="truncate font-medium">{word}</p>
      <p className={told?.allowed === true ? "text-sm text-accent" : "text-sm text-soft"}>
        {told === null ? "Escape lets it go" : told.words}
      </p>
    </div>
  );
}

function draggedOf(data: unknown): Dragged | null {
  const held = (data as { current?: { dragged?: () => Dragged } } | null)?.current?.dragged;
  return held === undefined ? null : held();
}

function targetOf(data: unknown): Target | null {
  return (data as { current?: { target?: Target } } | null)?.current?.target ?? null;
}

/**
 * Within it things are dragged, by the pointer; Escape lets them go. `word` calls what is dragged by its name, `says` tells
 * what dropping it somewhere would do. Whatever a drop comes to has a key and a menu of its own elsewhere.
 */
export function DragArea({
  word,
  says,
  onDrop,
  children,
}: {
  word: (dragged: Dragged) => string;
  says: (dragged: Dragged, target: Target) => { allowed: boolean; words: string };
  onDrop: (dragged: Dragged, target: Target) => void;
  children: ReactNode;
}) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [target, setTarget] = useState<Target | null>(null);
  const sensors = useSensors(useSensor(MouseSensor, { activationConstraint: { distance: SLACK } }));
  const told = dragged !== null && target !== null ? says(dragged, target) : null;

  const announcements: Announcements = useMemo(
    () => ({
      onDragStart: ({ active }) => {
        const held = draggedOf(active.data);
        return held === null ? undefined : `Dragging ${word(held)}. Escape lets it go.`;
      },
      onDragOver: ({ active, over }) => {
        const [held, onto] = [draggedOf(active.data), over === null ? null : targetOf(over.data)];
        return held === null || onto === null ? "Over nothing." : `${says(held, onto).words}.`;
      },
      // What a drop did is said where it is done.
      onDragEnd: ({ over }) => (over === null ? "Dropped on nothing; nothing is changed." : undefined),
      onDragCancel: () => "Let go; nothing is changed.",
    }),
    [word, says],
  );
  const ended = (event: DragEndEvent | null) => {
    const onto = event?.over == null ? null : targetOf(event.over.data);
    const held = dragged;
    setDragged(null);
    setTarget(null);
    if (held !== null && onto !== null && says(held, onto).allowed) onDrop(held, onto);
  };

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={under}
      autoScroll={AUTO_SCROLL}
      accessibility={{ announcements, screenReaderInstructions: { draggable: "" } }}
      onDragStart={({ active }) => setDragged(draggedOf(active.data))}
      onDragOver={({ over }) => setTarget(over === null ? null : targetOf(over.data))}
      onDragEnd={ended}
      onDragCancel={() => ended(null)}
    >
      <Now.Provider value={dragged}>{children}</Now.Provider>
      {dragged !== null && <Held word={word(dragged)} told={told} />}
    </DndContext>
  );
}

/** What is being dragged, if anything is. */
export function useDragNow(): Dragged | null {
  return useContext(Now);
}

/** Makes something that can be dragged; `dragged` is asked when the drag begins. */
export function useDragged(id: string, dragged: () => Dragged) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: `drag:${id}`, data: { dragged } });
  return { ref: setNodeRef, listeners, dragging: isDragging };
}

/**
 * Lies over something in a long list and can be dropped on. It is there only while something is dragged: every target that comes
 * or goes has all others drawn anew.
 */
export function DropZone(props: { id: string; target: Target; look: "fill" | "line" }) {
  return useDragNow() === null ? null : <Zone {...props} />;
}

function Zone({ id, target, look }: { id: string; target: Target; look: "fill" | "line" }) {
  const { ref, over } = useDropTarget(id, target);
  return (
    <span
      ref={ref}
      aria-hidden
      data-drop
      className={cx(
        "absolute inset-0 z-10",
        over && (look === "fill" ? "bg-[color-mix(in_srgb,var(--c-accent)_14%,transparent)]" : "shadow-[inset_0_2px_0_var(--c-accent)]"),
      )}
    />
  );
}

/** Makes something that can be dropped on; `over` is whether something is held over it. */
export function useDropTarget(id: string, target: Target, disabled = false) {
  const { setNodeRef, isOver } = useDroppable({ id: `drop:${id}`, data: { target }, disabled });
  return { ref: setNodeRef, over: isOver };
}
