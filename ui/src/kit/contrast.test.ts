import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contrast, over, toneOf, type Tone } from "./contrast";

const CSS = readFileSync(join(import.meta.dirname, "theme.css"), "utf8");

/** The colours that the first rule after `selector` gives. */
function palette(selector: string): Map<string, string> {
  const at = CSS.indexOf(selector);
  const rule = CSS.slice(CSS.indexOf("{", at) + 1, CSS.indexOf("}", at));
  return new Map([...rule.matchAll(/--c-([\w-]+):\s*([^;]+);/g)].map((found) => [found[1] ?? "", found[2] ?? ""]));
}

const PALETTES = {
  light: palette(":root {"),
  dark: palette(':root[data-theme="dark"] {'),
};

/** A colour by its name; `hover page` is what is seen of `hover` on `page`. */
function tone(of: Map<string, string>, name: string): Tone {
  const [above = "", below] = name.split(" ");
  const found = toneOf(of.get(above) ?? "");
  if (found === null) throw new Error(`there is no colour ${above}`);
  return below === undefined ? found : over(found, tone(of, below));
}

function failing(of: Map<string, string>, least: number, pairs: readonly (readonly [string, readonly string[]])[]) {
  return pairs.flatMap(([name, grounds]) =>
    grounds.flatMap((ground) => {
      const found = contrast(tone(of, name), tone(of, ground));
      return found >= least ? [] : [`${name} on ${ground}: ${found.toFixed(2)}`];
    }),
  );
}

const SURFACES = ["page", "side", "raised", "sunken", "frame"];
const TOUCHED = SURFACES.flatMap((surface) => [`hover ${surface}`, `press ${surface}`]);
const SOFT = ["edit-soft", "only-soft", "danger-soft", "ok-soft"];

/** Each colour that is used for text, with what it stands on. */
const TEXT = [
  ["text", [...SURFACES, ...TOUCHED, ...SOFT, "chosen"]],
  ["soft", [...SURFACES, ...TOUCHED]],
  ["faint", ["page", "raised", "side", "sunken"]],
  ["accent", ["page", "raised", "side", "sunken", "hover page", "hover raised"]],
  ["chosen-text", ["chosen", "hover chosen", "press chosen"]],
  ["on-accent", ["accent", "accent-strong"]],
  ["edit", ["page", "raised", "side", "sunken", "hover page", "edit-soft"]],
  ["only", ["page", "raised", "side", "sunken", "hover page", "only-soft"]],
  ["danger", ["page", "raised", "side", "sunken", "hover page", "hover raised", "danger-soft"]],
  ["ok", ["page", "raised", "side", "sunken", "hover page", "ok-soft"]],
  ["page", ["danger", "text"]],
] as const;

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "grey"].map((colour) => `mark-${colour}`);

/** Marks that say something by their shape, and the ring around what has the focus. */
const MARKS = [
  ...COLOURS.map((mark) => [mark, [...SURFACES, ...TOUCHED, "chosen"]] as const),
  ...["accent", "edit", "only", "danger", "ok", "soft"].map((mark) => [mark, [...SURFACES, "chosen", ...TOUCHED]] as const),
  ["faint", SURFACES],
] as const;

describe("the colours", () => {
  it("are written down for both palettes, the dark one twice and the same", () => {
    const names = (of: Map<string, string>) => [...of.keys()].toSorted();
    expect(PALETTES.light.size).toBeGreaterThan(20);
    expect(names(PALETTES.dark)).toEqual(names(PALETTES.light));
    expect([...palette(':root:not([data-theme="light"]) {')]).toEqual([...PALETTES.dark]);
  });

  it.each(["light", "dark"] as const)("keep text readable in the %s palette: at least 4.5 to 1", (name) => {
    expect(failing(PALETTES[name], 4.5, TEXT)).toEqual([]);
  });

  it.each(["light", "dark"] as const)("keep marks and the focus ring visible in the %s palette: at least 3 to 1", (name) => {
    expect(failing(PALETTES[name], 3, MARKS)).toEqual([]);
  });

  it("are all offered to the screens", () => {
    const offered = new Set([...CSS.matchAll(/--color-[\w-]+: var\(--c-([\w-]+)\)/g)].map((found) => found[1]));
    expect([...PALETTES.light.keys()].filter((each) => each !== "shadow" && !offered.has(each))).toEqual([]);
  });
});

describe("contrast", () => {
  it("is 21 between black and white, and 1 between the same", () => {
    const [black, white] = [toneOf("#000"), toneOf("#ffffff")] as [Tone, Tone];
    expect(contrast(black, white)).toBeCloseTo(21);
    expect(contrast(white, white)).toBeCloseTo(1);
    expect(contrast(toneOf("#00000080") as Tone, white)).toBeCloseTo(contrast(toneOf("#7f7f7f") as Tone, white), 1);
  });

  it("is of no use for what is no colour", () => {
    expect(toneOf("0 1px 2px #000")).toBeNull();
    expect(toneOf("#12")).toBeNull();
  });
});
