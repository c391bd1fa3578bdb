// How well one colour stands out from another, as WCAG 2 counts it.

/** Red, green and blue from 0 to 255, and how opaque it is from 0 to 1. */
export type Tone = readonly [red: number, green: number, blue: number, alpha: number];

/** A colour written as `#rgb`, `#rrggbb` or `#rrggbbaa`; `null` for anything else. */
export function toneOf(written: string): Tone | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(written.trim())?.[1];
  if (digits === undefined) return null;
  const whole = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const part = (at: number) => Number.parseInt(whole.slice(at, at + 2), 16);
  return [part(0), part(2), part(4), whole.length === 8 ? part(6) / 255 : 1];
}

/** A colour as it is seen on another that is opaque. */
export function over(above: Tone, below: Tone): Tone {
  const mixed = (one: number, other: number) => one * above[3] + other * (1 - above[3]);
  return [mixed(above[0], below[0]), mixed(above[1], below[1]), mixed(above[2], below[2]), 1];
}

function luminance(tone: Tone): number {
  const [red, green, blue] = [tone[0], tone[1], tone[2]].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** From 1, where nothing can be told apart, to 21, black on white. What is translucent is seen on the other. */
export function contrast(one: Tone, other: Tone): number {
  const seen = over(one, other);
  const [lighter, darker] = [luminance(seen), luminance(other)].toSorted((a, b) => b - a);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}
