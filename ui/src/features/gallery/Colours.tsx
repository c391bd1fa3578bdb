import { Check, TriangleAlert } from "lucide-react";
import { useSyncExternalStore } from "react";
import { contrast, over, toneOf } from "../../kit/contrast";

/** The least that text needs, and the least that a mark does. */
const TEXT = 4.5;
const MARK = 3;

/** What is written or drawn in a colour, on what. */
interface Use {
  readonly colour: string;
  readonly on: string;
  readonly least: number;
}

const text = (colour: string, ...grounds: string[]): Use[] => grounds.map((on) => ({ colour, on, least: TEXT }));
const mark = (colour: string, ...grounds: string[]): Use[] => grounds.map((on) => ({ colour, on, least: MARK }));

const USES: readonly Use[] = [
  ...text("text", "page", "side", "raised", "sunken", "frame"),
  ...text("soft", "page", "side", "sunken"),
  ...text("faint", "page"),
  ...text("chosen-text", "chosen"),
  ...text("accent", "page", "raised"),
  ...text("on-accent", "accent", "accent-strong"),
  ...text("edit", "page", "edit-soft"),
  ...text("only", "page", "only-soft"),
  ...text("danger", "page", "danger-soft"),
  ...text("ok", "page", "ok-soft"),
  ...text("page", "danger", "text"),
  ...["red", "orange", "yellow", "green", "blue", "purple", "grey"].flatMap((each) => mark(`mark-${each}`, "page", "chosen")),
];

/** Colours that nothing is told by: they are grounds and lines. */
const QUIET = ["line", "line-strong", "hover", "press", "veil"] as const;

/** A colour as it is now, written down; empty where there is none. */
function live(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--c-${name}`).trim();
}

function subscribe(listener: () => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(listener);
  system.addEventListener("change", listener);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme", "style"] });
  return () => {
    system.removeEventListener("change", listener);
    chosen.disconnect();
  };
}

/** Changes whenever the palette does. */
function palette(): string {
  return ["page", "text", "accent"].map(live).join(" ");
}

function ratio({ colour, on }: Use): number | null {
  const [above, below, page] = [toneOf(live(colour)), toneOf(live(on)), toneOf(live("page"))];
  return above === null || below === null || page === null ? null : contrast(above, over(below, page));
}

/** Every colour by its name, as it is used, with how well it stands out there. */
export function Colours() {
  useSyncExternalStore(subscribe, palette);
  return (
    <>
      <ul aria-label="Colours and what they stand on" className="grid grid-cols-1 gap-x-4 min-[700px]:grid-cols-2">
        {USES.map((use) => {
          const found = ratio(use);
          const enough = found !== null && found >= use.least;
          return (
            <li key={`${use.colour} ${use.on}`} className="flex items-center gap-2 py-0.5">
              <span
                aria-hidden
                className="inline-flex h-6 w-9 shrink-0 items-center justify-center rounded border border-line font-semibold"
                style={{ color: `var(--c-${use.colour})`, background: `var(--c-${use.on})` }}
              >
                {use.least === TEXT ? "Aa" : "●"}
              </span>
              <span className="min-w-0 flex-1 truncate font-mono text-sm">
                {use.colour} <span className="font-sans text-soft">on</span> {use.on}
              </span>
              <span className="numeric shrink-0 text-sm">{found === null ? "unknown" : `${found.toFixed(1)} : 1`}</span>
              {enough ? (
                <Check size={13} aria-hidden className="shrink-0 text-ok" />
              ) : (
                <TriangleAlert size={13} aria-hidden className="shrink-0 text-danger" />
              )}
              <span className="sr-only">{enough ? "enough" : `not enough: needs ${use.least}`}</span>
            </li>
          );
        })}
      </ul>
      <ul aria-label="Grounds and lines" className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
        {QUIET.map((name) => (
          <li key={name} className="inline-flex items-center gap-2 font-mono text-sm">
            <span aria-hidden className="size-5 rounded border border-line" style={{ background: `var(--c-${name})` }} />
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}
