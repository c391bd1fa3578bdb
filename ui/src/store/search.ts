// What the search field says: words that are found in names, branches, paths, notes and so on, and tokens such
// as `is:dirty` that ask for a fact. All of them have to hold.

import uFuzzy from "@leeoniya/ufuzzy";
import type { WorkspaceRef, WorkspaceRow } from "../backend/backend";
import { attention, isClean, isDirty, isSafe, isUnpushed, type Known } from "./facts";
import type { RegistryState } from "./registry";

/** Facts that can be asked for with `is:`, and what each asks. */
const FACTS = {
  dirty: isDirty,
  unpushed: isUnpushed,
  safe: isSafe,
  clean: (row) => known(isClean(row)),
  merged: (row) => (row.merged === "unknown" ? "unknown" : known(row.merged === "yes")),
  missing: (row) => known(row.presence === "missing"),
  away: (row) => known(row.presence === "away"),
  locked: (row) => known(row.locked),
  pinned: (row) => known(row.pinned),
  noted: (row) => known(row.noted),
  attention: (row) => known(attention(row).length > 0),
  deleting: (row) => known(row.deleting),
  unknown: (row) => known(row.factsUnknown || isDirty(row) === "unknown" || isUnpushed(row) === "unknown"),
  repository: (row) => known(row.kind === "repository" || row.kind === "bare"),
  worktree: (row) => known(row.kind === "worktree"),
  bare: (row) => known(row.kind === "bare"),
  directory: (row) => known(row.kind === "directory"),
  detached: (row) => known(row.head === "detached"),
} satisfies Record<string, (row: WorkspaceRow) => Known>;

function known(yes: boolean): Known {
  return yes ? "yes" : "no";
}

/** Tokens, each with what it asks for and an example, as the help of the search field lists them. */
export const TOKENS = [
  ["is:", "a fact", Object.keys(FACTS).join(", ")],
  ["host:", "the host", "host:build-box"],
  ["tag:", "a tag", 'tag:"to review"'],
  ["group:", "the group", "group:release"],
  ["branch:", "the branch", "branch:feature"],
  ["path:", "the path", "path:/srv"],
  ["older:", "last active longer ago", "older:30d"],
  ["newer:", "last active within", "newer:2w"],
  ["size:", "the size, once measured", "size:>1g"],
] as const;

type Key = "is" | "host" | "tag" | "group" | "branch" | "path" | "older" | "newer" | "size";
const KEYS: readonly string[] = TOKENS.map(([token]) => token.slice(0, -1));

interface Token {
  readonly key: Key;
  readonly value: string;
  readonly not: boolean;
}

/** A search, taken apart. */
export interface Query {
  /** Words to be found somewhere, in lower case. */
  readonly words: readonly string[];
  readonly tokens: readonly Token[];
  /** What is wrong with it, in a sentence; what is wrong is not asked for. */
  readonly trouble: string | null;
}

const DAY = 86_400_000;
const SPANS: Record<string, number> = { h: DAY / 24, d: DAY, w: 7 * DAY, m: 30.44 * DAY, y: 365.25 * DAY };
const SIZES: Record<string, number> = { k: 1, m: 1024, g: 1024 ** 2, t: 1024 ** 3 };

function spanOf(value: string): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([hdwmy])$/i.exec(value) ?? [];
  return count === undefined || unit === undefined ? null : Number(count) * (SPANS[unit.toLowerCase()] ?? 0);
}

function sizeOf(value: string): { least: boolean; kib: number } | null {
  const [, sign, count, unit] = /^([<>])?(\d+(?:\.\d+)?)([kmgt])i?b?$/i.exec(value) ?? [];
  if (count === undefined || unit === undefined) return null;
  return { least: sign !== "<", kib: Number(count) * (SIZES[unit.toLowerCase()] ?? 1) };
}

/** Why a token cannot be asked for; `null` if it can. */
function wrong({ key, value }: Token): string | null {
  if (value === "") return "";
  switch (key) {
    case "is":
      return Object.hasOwn(FACTS, value.toLowerCase()) ? null : `Nothing can be “${value}”: ${Object.keys(FACTS).join(", ")}.`;
    case "older":
    case "newer":
      return spanOf(value) === null ? `“${value}” is no length of time: 12h, 30d, 2w, 6m, 1y.` : null;
    case "size":
      return sizeOf(value) === null ? `“${value}” is no size: >1g, <200m.` : null;
    default:
      return null;
  }
}

/** Takes a search apart. Nothing that can be typed is an error: what is no token is a word. */
export function parseQuery(text: string): Query {
  const words: string[] = [];
  const tokens: Token[] = [];
  let trouble: string | null = null;
  for (const [part] of text.matchAll(/-?[a-z]+:"[^"]*"?|"[^"]*"?|\S+/gi)) {
    const [, minus, key, value] = /^(-?)([a-z]+):(.*)$/is.exec(part) ?? [];
    if (key !== undefined && value !== undefined && KEYS.includes(key.toLowerCase())) {
      const token = { key: key.toLowerCase() as Key, value: value.replaceAll('"', "").trim(), not: minus === "-" };
      const why = wrong(token);
      if (why === null) tokens.push(token);
      else if (why !== "") trouble ??= why;
    } else {
      const word = part.replaceAll('"', "").trim().toLowerCase();
      if (word !== "") words.push(word);
    }
  }
  return { words, tokens, trouble };
}

/** Matches a word also with a letter too many, too few, swapped or wrong, in any script. */
export const FUZZY = new uFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: "\\p{Ll}\\p{Lu}",
  interBound: "[^\\p{L}\\d]",
  intraBound: "\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}",
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraMode: 1,
  intraIns: 1,
  intraSub: 1,
  intraTrn: 1,
  intraDel: 1,
});

/** Letters up to which a word may have a mistake in it: what looks for mistakes takes the time of their square. */
export const FUZZY_MOST = 32;

/** Letters from which on a word may have a mistake in it; in a shorter one a mistake makes another word. */
const FORGIVEN = 5;

type Names = Pick<RegistryState, "hostById" | "rootById" | "groupById">;

/** What a word is looked for in, mistakes forgiven, in lower case. The path is looked in as it is written. */
function named(row: WorkspaceRow, state: Names): string {
  return [
    row.name,
    row.branch ?? "",
    row.tags.join(" "),
    state.hostById.get(row.host)?.label ?? "",
    state.rootById.get(row.root)?.name ?? "",
    row.group === null ? "" : (state.groupById.get(row.group)?.name ?? ""),
  ]
    .join("\n")
    .toLowerCase();
}

interface Text {
  readonly names: string;
  readonly path: string;
}
let prepared = new WeakMap<WorkspaceRow, Text>();
let preparedFor: Names | null = null;

/** What a row is searched in, made once for as long as neither it nor what it is called by differs. */
function textOf(row: WorkspaceRow, state: Names): Text {
  const same =
    preparedFor?.rootById === state.rootById &&
    preparedFor.groupById === state.groupById &&
    labels(preparedFor) === labels(state);
  if (!same) prepared = new WeakMap();
  preparedFor = state;
  const made = prepared.get(row);
  if (made !== undefined) return made;
  const text = { names: named(row, state), path: row.path.toLowerCase() };
  prepared.set(row, text);
  return text;
}

/** Hosts differ with whatever they do; only what they are called is searched in. */
function labels(state: Names): string {
  const made = labelsOf.get(state.hostById);
  if (made !== undefined) return made;
  const text = [...state.hostById.values()].map((host) => `${host.id} ${host.label}`).join("\n");
  labelsOf.set(state.hostById, text);
  return text;
}
const labelsOf = new WeakMap<Names["hostById"], string>();

/** Makes ready what a search looks in, so that its first letter does not wait for it. */
export function prepare(rows: readonly WorkspaceRow[], state: Names): void {
  for (const row of rows) textOf(row, state);
}

function has(text: string | null | undefined, part: string): boolean {
  return text != null && text.toLowerCase().includes(part.toLowerCase());
}

/** Whether a token holds. What is not known is never taken for a yes, and never for a no either (I13). */
function holds(row: WorkspaceRow, { key, value }: Token, state: Names, now: number): Known {
  const active = row.activeAt ?? row.lastCommitAt;
  switch (key) {
    case "is": {
      const fact = FACTS[value.toLowerCase() as keyof typeof FACTS];
      return fact(row);
    }
    case "host":
      return known(has(state.hostById.get(row.host)?.label, value));
    case "tag":
      return known(row.tags.some((tag) => has(tag, value)));
    case "group":
      return known(row.group !== null && has(state.groupById.get(row.group)?.name, value));
    case "branch":
      return known(has(row.branch, value));
    case "path":
      return known(has(row.path, value));
    case "older":
    case "newer": {
      if (active === null) return "unknown";
      const old = now - Date.parse(active) > (spanOf(value) ?? 0);
      return known(key === "older" ? old : !old);
    }
    case "size": {
      const asked = sizeOf(value);
      if (row.size === null || asked === null) return "unknown";
      return known(asked.least ? row.size >= asked.kib : row.size < asked.kib);
    }
  }
}

/**
 * The rows a search finds, in the order they are given. `texts` has, for words that were looked up, the
 * workspaces whose note or last subject has them.
 */
export function found(
  rows: readonly WorkspaceRow[],
  query: Query,
  state: Names,
  texts: ReadonlyMap<string, ReadonlySet<WorkspaceRef>>,
  now: number,
): readonly WorkspaceRow[] {
  if (query.words.length === 0 && query.tokens.length === 0) return rows;
  const sought = query.words.length === 0 ? [] : rows.map((row) => textOf(row, state));
  let left: number[] = rows.map((_, index) => index);
  for (const token of query.tokens) {
    left = left.filter((index) => {
      const row = rows[index];
      return row !== undefined && holds(row, token, state, now) === (token.not ? "no" : "yes");
    });
  }
  for (const word of query.words) {
    const noted = texts.get(word);
    const exact = left.filter((index) => {
      const row = rows[index];
      return (
        (sought[index]?.names.includes(word) ?? false) ||
        (sought[index]?.path.includes(word) ?? false) ||
        (row !== undefined && noted?.has(row.id) === true)
      );
    });
    // Mistakes are looked for only where nothing has the word as it is: that is quicker, and says less that is not meant.
    if (exact.length > 0 || word.length < FORGIVEN || word.length > FUZZY_MOST) left = exact;
    else {
      const names = sought.map((text) => text.names);
      left = FUZZY.filter(names, word, left) ?? [];
    }
  }
  return left.flatMap((index) => rows[index] ?? []);
}
