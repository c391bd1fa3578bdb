import { useRef, useState, type KeyboardEvent } from "react";
import type { Actor, JournalDay } from "../../backend/backend";
import { cx } from "../../kit/cx";
import { many } from "../../store/words";
import { dateOf, longDay } from "./days";
import { ACTORS, linesBy, WHO } from "./who";

/** Each is told apart by shade, by pattern and by its place upon the others. */
const FILLS: Record<Actor, string> = {
  rollCall: "bg-faint",
  person: "stripes border border-accent text-accent",
  sweep: "border border-only text-only",
};

/** Fewer lines than this in the busiest day do not fill the height: a single one is not a mountain. */
const LEAST = 5;

/** What happened on a day, in a sentence. */
function dayLine(day: JournalDay, actors: readonly Actor[], today: string): string {
  const name = day.day === today ? `Today, ${longDay(day.day, today)}` : longDay(day.day, today);
  const parts = actors
    .filter((actor) => linesBy(day, actor) > 0)
    .map((actor) => `${linesBy(day, actor)} by ${WHO[actor].all}`);
  return parts.length === 0 ? `${name}: nothing` : `${name}: ${parts.join(", ")}`;
}

/** How much was written on each day of some weeks, the oldest first. A day that is pressed is shown. */
export function Timeline({
  days,
  actor,
  today,
  shown,
  onShow,
}: {
  days: readonly JournalDay[];
  actor: Actor | null;
  today: string;
  /** The day that was pressed last. */
  shown: string | null;
  onShow: (day: string) => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const actors = actor === null ? ACTORS : [actor];
  const total = (day: JournalDay) => actors.reduce((sum, each) => sum + linesBy(day, each), 0);
  const most = Math.max(LEAST, ...days.map(total));
  const last = days.length - 1;
  const at = days.findIndex((day) => day.day === focus);
  const stop = at < 0 ? last : at;
  const told = days.find((day) => day.day === (over ?? focus));
  const sum = days.reduce((all, day) => all + total(day), 0);

  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: stop - 1, ArrowRight: stop + 1, ArrowUp: stop - 7, ArrowDown: stop + 7, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    bar.current?.querySelectorAll("button")[Math.min(last, Math.max(0, to))]?.focus();
  };

  return (
    <section
      aria-label={`The last ${Math.ceil(days.length / 7)} weeks`}
      className="@container flex shrink-0 flex-col gap-1.5 border-b border-line bg-sunken px-3.5 pt-2 pb-1.5"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-soft">
        <ul aria-label="What the bars mean" className="flex flex-wrap items-center gap-x-3">
          {actors.map((each) => (
            <li key={each} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={cx("size-2.5 shrink-0", FILLS[each])} />
              {each === "sweep" ? WHO[each].all : WHO[each].all.replace(/^./, (letter) => letter.toUpperCase())}
            </li>
          ))}
        </ul>
        {/* The days say this themselves to those who hear them. */}
        <p aria-hidden className="numeric ml-auto min-w-0 truncate">
          {told === undefined
            ? sum === 0
              ? "Nothing in these weeks"
              : `${many(sum, "line", "lines")} in these weeks, at most ${Math.max(...days.map(total))} in a day`
            : dayLine(told, actors, today)}
        </p>
      </div>
      <div
        ref={bar}
        role="toolbar"
        aria-label="Days, the oldest first; pressing one shows it"
        aria-orientation="horizontal"
        className="flex h-14 items-stretch"
        onKeyDown={move}
        onPointerLeave={() => setOver(null)}
      >
        {days.map((day, index) => {
          const weekday = dateOf(day.day).getDay();
          return (
            <button
              key={day.day}
              type="button"
              data-bar={day.day}
              tabIndex={index === stop ? 0 : -1}
              aria-label={dayLine(day, actors, today)}
              aria-current={day.day === shown ? "true" : undefined}
              onFocus={() => setFocus(day.day)}
              onPointerEnter={() => setOver(day.day)}
              onClick={() => onShow(day.day)}
              className={cx(
                "flex min-w-0 flex-1 flex-col-reverse overflow-hidden border-b-2 px-px outline-offset-[-2px] hover:bg-press",
                weekday === 1 && "border-l border-l-line-strong",
                (weekday === 0 || weekday === 6) && "bg-hover",
                day.day === shown ? "border-b-accent" : "border-b-line-strong",
              )}
            >
              {actors.map((each) => {
                const count = linesBy(day, each);
                return (
                  count > 0 && (
                    <span
                      key={each}
                      aria-hidden
                      data-by={each}
                      className={cx("min-h-[3px] w-full shrink", FILLS[each])}
                      style={{ height: `${(count / most) * 100}%` }}
                    />
                  )
                );
              })}
            </button>
          );
        })}
      </div>
      <div aria-hidden className="flex text-xs text-soft">
        {days.map((day, index) => {
          const date = dateOf(day.day);
          return (
            <span key={day.day} className="relative h-4 min-w-0 flex-1 text-center @min-[820px]:h-8">
              <span className={cx("hidden @min-[820px]:block", day.day === today && "font-semibold text-text")}>
                {date.toLocaleDateString(undefined, { weekday: "narrow" })}
              </span>
              {date.getDay() === 1 && (
                <span
                  className={cx(
                    "numeric absolute bottom-0 whitespace-nowrap",
                    index > last - 4 ? "right-0" : "left-0 pl-0.5",
                    // In little room every other week says its date.
                    Math.floor((last - index) / 7) % 2 === 1 && "hidden @min-[460px]:block",
                  )}
                >
                  {date.toLocaleDateString(undefined, { day: "numeric", month: "short" })}
                </span>
              )}
            </span>
          );
        })}
      </div>
    </section>
  );
}
