import { Download } from "lucide-react";
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Actor, HostRef, JournalLine, WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { INPUT } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry, useViewStore } from "../../store/context";
import { useFresh } from "../../store/fresh";
import { exact, useNow } from "../../store/time";
import { clock, dayOf, dayWord, longDay } from "./days";
import { useJournal } from "./pages";
import { Timeline } from "./Timeline";
import { WHO } from "./who";

/** Weeks that the picture on top shows. */
const WEEKS = 8;

/** Pages that are read at most to get to one day; pressing it again reads on. */
const FAR = 25;

/** Frames in which a day is scrolled to, the first of them at once. */
const LANDINGS = 4;

/** Milliseconds for which the newest line has to be in sight before it counts as looked at. */
const GLANCE = 2_000;

/** As many new lines as the application counts. */
const MANY = 1_000;

const EVERYBODY: readonly (readonly [Actor | "", string])[] = [
  ["", "everybody"],
  ["rollCall", WHO.rollCall.all],
  ["person", WHO.person.all],
  ["sweep", WHO.sweep.all],
];

/** A choice in a line with others. */
function Choice<T extends string>({ label, value, options, onChange }: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}) {
  return (
    <label className="inline-flex items-center gap-1.5 text-sm text-soft">
      {label}
      <select
        value={value}
        onChange={(event) => {
          const chosen = options.find(([each]) => each === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
        className={`${INPUT} h-6! w-32! px-1.5!`}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const One = memo(function One({ line, host, listed, onShow }: {
  line: JournalLine;
  /** Where it was, in a word; `null` where the line is about none. */
  host: string | null;
  listed: boolean;
  onShow: (id: WorkspaceRef) => void;
}) {
  const { word, icon: Icon } = WHO[line.actor];
  const { workspace } = line;
  return (
    // What is far away is not laid out: thousands of lines may have been read.
    <li className="flex items-baseline gap-2.5 py-1 pr-3 pl-3.5 [contain-intrinsic-size:auto_18px] [content-visibility:auto] hover:bg-hover">
      <time dateTime={line.at} title={exact(line.at)} className="numeric w-15 shrink-0 text-sm whitespace-nowrap text-soft">
        {clock(line.at)}
      </time>
      <span title={word} className="inline-flex shrink-0 self-start pt-[3px] text-soft">
        <Icon size={13} aria-hidden />
        <span className="sr-only">{word}: </span>
      </span>
      <span className="min-w-0 flex-1 break-words" data-selectable>
        {listed && workspace !== null ? (
          <button
            type="button"
            title="Show it in the list"
            onClick={() => onShow(workspace)}
            className="rounded text-left underline decoration-line-strong underline-offset-2 hover:decoration-current"
          >
            {line.text}
          </button>
        ) : (
          line.text
        )}
      </span>
      {host !== null && <span className="max-w-[30%] shrink-0 truncate text-sm text-soft">{host}</span>}
    </li>
  );
});

/** Lines of one day, newer ones before a mark that says where the person stopped looking. */
interface Day {
  readonly day: string;
  readonly newer: readonly JournalLine[];
  readonly older: readonly JournalLine[];
}

function byDay(lines: readonly JournalLine[], seen: number): readonly Day[] {
  const days: { day: string; newer: JournalLine[]; older: JournalLine[] }[] = [];
  for (const line of lines) {
    const day = dayOf(line.at);
    let last = days.at(-1);
    // A clock that was put back makes no second heading of the same day, nor a day out of its order.
    if (last === undefined || day < last.day) {
      last = { day, newer: [], older: [] };
      days.push(last);
    }
    (line.number > seen ? last.newer : last.older).push(line);
  }
  return days;
}

/** Where the person stopped looking. */
function Rule() {
  return (
    <p className="flex items-center gap-2 px-3.5 py-1 text-sm font-medium text-accent">
      <span aria-hidden className="h-px flex-1 bg-accent" />
      since you last looked ↑
      <span aria-hidden className="h-px flex-1 bg-accent" />
    </p>
  );
}

/** What scrolls is scrolled by keyboard too. */
const SCROLLS = { tabIndex: 0, role: "group", "aria-label": "Lines of the journal" } as const;

/** A day to be shown, each time it was asked for. */
interface Wanted {
  readonly day: string;
}

function Lines({ host, actor, seen, today, wanted, onNewest }: {
  host: HostRef | null;
  actor: Actor | null;
  seen: number;
  today: string;
  wanted: Wanted | null;
  onNewest: (number: number) => void;
}) {
  const view = useViewStore();
  const { hostById, rows } = useRegistry();
  const { lines, more, error, reading, readBack } = useJournal({ workspace: null, host, actor });
  const area = useRef<HTMLDivElement>(null);
  const [landed, setLanded] = useState<(Wanted & { far: boolean }) | null>(null);
  const [said, setSaid] = useState({ text: "", aloud: true });
  const show = useCallback((id: WorkspaceRef) => view.show(id), [view]);
  const days = useMemo(() => byDay(lines ?? [], seen), [lines, seen]);

  const newest = lines?.[0]?.number;
  useEffect(() => {
    if (newest !== undefined) onNewest(newest);
  }, [newest, onNewest]);

  const begun = lines !== null;
  useEffect(() => {
    if (wanted === null || !begun) return;
    void readBack((line) => dayOf(line.at) <= wanted.day, FAR).then((outcome) => {
      if (outcome !== "stopped") setLanded({ ...wanted, far: outcome === "enough" });
    });
  }, [wanted, begun, readBack]);

  useLayoutEffect(() => {
    const sections = [...(area.current?.querySelectorAll<HTMLElement>("[data-day]") ?? [])];
    if (landed === null || sections.length === 0) return undefined;
    const found = sections.find((each) => (each.dataset["day"] ?? "") <= landed.day) ?? sections.at(-1);
    // Lines that wrap are laid out, and higher than was thought, only once they are near.
    let frame = 0;
    let left = LANDINGS;
    const scroll = () => {
      found?.scrollIntoView({ block: "start" });
      left -= 1;
      if (left > 0) frame = requestAnimationFrame(scroll);
    };
    scroll();
    const at = found?.dataset["day"] ?? landed.day;
    if (landed.far) setSaid({ text: `Read back to ${longDay(at, today)}. Press the day again to read on.`, aloud: false });
    // Who sees the day needs no word about it.
    else if (at === landed.day) setSaid({ text: `Showing ${longDay(at, today)}.`, aloud: true });
    else setSaid({ text: `Nothing is written on ${longDay(landed.day, today)}.`, aloud: false });
    return () => cancelAnimationFrame(frame);
    // Only when one was landed on, not whenever there are more days.
  }, [landed, today]);

  if (error !== null && lines === null) {
    return (
      <div className="p-3.5">
        <Trouble message={error.message} hints={error.hints} />
      </div>
    );
  }
  if (lines === null) return <p className="p-3.5 text-soft">Reading the journal…</p>;
  // The mark stands only between lines that are newer and lines that are not.
  const edge = seen > 0 && newest !== undefined && newest > seen ? days.findIndex((day) => day.older.length > 0) : -1;
  const back = reading && wanted !== null;
  const each = (line: JournalLine) => (
    <One
      key={line.number}
      line={line}
      host={line.host === null ? null : (hostById.get(line.host)?.label ?? "a forgotten host")}
      listed={line.workspace !== null && rows.get(line.workspace)?.untracked === false}
      onShow={show}
    />
  );
  return (
    <>
      <p role="status" className={back || !said.aloud ? "shrink-0 border-b border-line px-3.5 py-1 text-sm text-soft" : "sr-only"}>
        {back ? `Reading back to ${longDay(wanted.day, today)}…` : said.text}
      </p>
      <div
        ref={area}
        {...SCROLLS}
        className="min-h-0 flex-1 overflow-y-auto pb-3 outline-offset-[-2px]"
      >
        {lines.length === 0 && (
          <p className="p-3.5 text-soft">
            {host === null && actor === null
              ? "Nothing has happened yet. What roll calls and people change is written here."
              : "Nothing like that is written. Choose another host, or everybody."}
          </p>
        )}
        {days.map((day, at) => (
          <section key={day.day} data-day={day.day} aria-label={dayWord(day.day, today)}>
            {at === edge && day.newer.length === 0 && <Rule />}
            <h2 className="sticky top-0 z-10 border-b border-line bg-page px-3.5 pt-2 pb-1 font-semibold">
              {dayWord(day.day, today)}
              {dayWord(day.day, today) !== longDay(day.day, today) && (
                <span className="ml-2 font-normal text-soft">{longDay(day.day, today)}</span>
              )}
            </h2>
            {day.newer.length > 0 && <ol aria-label={at === edge ? "Newer" : undefined}>{day.newer.map(each)}</ol>}
            {at === edge && day.newer.length > 0 && <Rule />}
            {day.older.length > 0 && <ol>{day.older.map(each)}</ol>}
          </section>
        ))}
        {error !== null && (
          <div className="px-3.5 pt-2">
            <Trouble message={error.message} hints={error.hints} />
          </div>
        )}
        {more && (
          <Button small className="mt-2 ml-3.5" disabled={reading} onClick={() => void readBack(() => false, 1)}>
            <Download size={12} aria-hidden />
            Load more
          </Button>
        )}
        {!more && lines.length > 0 && <p className="px-3.5 pt-2 text-sm text-soft">Nothing older is written.</p>}
      </div>
    </>
  );
}

/** Tells the application that the newest line was looked at, once it was in sight for a while. */
function useGlance(newest: number | null) {
  const backend = useBackend();
  const { seen } = useRegistry();
  const [visible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  const told = newest === null || newest <= seen;
  useEffect(() => {
    if (newest === null || told || !visible) return;
    // Should it fail, the lines stay new until the next time; there is nothing for anybody to do about it.
    const timer = setTimeout(() => backend.journalSeen(newest).catch(() => undefined), GLANCE);
    return () => clearTimeout(timer);
  }, [backend, newest, told, visible]);
}

/** Lines that no person wrote and that were new when the page was opened, or came since. */
function useNewLines(): number {
  const { unseen } = useRegistry();
  const [count, setCount] = useState(unseen);
  const last = useRef(unseen);
  useEffect(() => {
    const more = unseen - last.current;
    last.current = unseen;
    if (more > 0) setCount((before) => before + more);
  }, [unseen]);
  return count;
}

/** What changed where, and who did it: all of it, by day, with a picture of the last weeks. */
export function JournalPage() {
  const backend = useBackend();
  const registry = useRegistry();
  const today = dayOf(useNow());
  // What was looked at before this page was opened; that it is open changes that.
  const [seen] = useState(registry.seen);
  const fresh = useNewLines();
  const [host, setHost] = useState<HostRef>("");
  const [actor, setActor] = useState<Actor | "">("");
  const [newest, setNewest] = useState<number | null>(null);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const read = useCallback(() => backend.journalDays(host === "" ? null : host, WEEKS), [backend, host]);
  const { value: days, error } = useFresh(read);
  const whole = host === "" && actor === "";
  // What a filter leaves out was not in sight.
  useGlance(whole ? newest : null);
  const filtered = () => {
    setNewest(null);
    setWanted(null);
  };

  return (
    <main aria-label="Journal" className="flex min-w-0 flex-1 flex-col bg-page">
      <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 py-1 pr-3 pl-3.5">
        <h1 className="font-semibold">Journal</h1>
        <p className="numeric text-sm text-soft">
          {fresh === 0 ? "Nothing new since you last looked" : `${fresh >= MANY ? "1000 or more" : fresh} new since you last looked`}
        </p>
        <div className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-1">
          <Choice
            label="Host"
            value={host}
            options={[["", "all hosts"], ...registry.hosts.map((each) => [each.id, each.label] as const)]}
            onChange={(chosen) => {
              filtered();
              setHost(chosen);
            }}
          />
          <Choice
            label="Who"
            value={actor}
            options={EVERYBODY}
            onChange={(chosen) => {
              filtered();
              setActor(chosen);
            }}
          />
        </div>
      </header>
      {error !== null && (
        <div className="px-3.5 pb-2">
          <Trouble message={error.message} hints={error.hints} />
        </div>
      )}
      {days !== null && days.length > 0 && (
        <Timeline
          days={days}
          actor={actor === "" ? null : actor}
          today={today}
          shown={wanted?.day ?? null}
          onShow={(day) => setWanted({ day })}
        />
      )}
      <Lines
        key={`${host} ${actor}`}
        host={host === "" ? null : host}
        actor={actor === "" ? null : actor}
        seen={seen}
        today={today}
        wanted={wanted}
        onNewest={setNewest}
      />
    </main>
  );
}
