import { Brush, Radio, UserRound, type LucideIcon } from "lucide-react";
import type { Actor, JournalDay } from "../../backend/backend";

/** Who writes in the journal: as one line says it, as a filter and a legend say it, and by a mark. */
export const WHO: Record<Actor, { word: string; all: string; icon: LucideIcon }> = {
  rollCall: { word: "Roll call", all: "roll calls", icon: Radio },
  person: { word: "Person", all: "people", icon: UserRound },
  sweep: { word: "Rollcall", all: "Rollcall", icon: Brush },
};

/** In the order in which they stand upon each other in a picture, from the ground. */
export const ACTORS: readonly Actor[] = ["rollCall", "person", "sweep"];

/** How many lines of a day somebody wrote. */
export function linesBy(day: JournalDay, actor: Actor): number {
  return actor === "rollCall" ? day.rollCalls : actor === "person" ? day.people : day.sweeps;
}
