// How long something was not used before a clean-up speaks of it.

const GUARDS: readonly (readonly [days: string, words: string])[] = [
  ["0", "any time"],
  ["1", "a day"],
  ["7", "a week"],
  ["30", "a month"],
  ["90", "three months"],
];

/** The guard ages that are offered, in days as text; the one there is among them whatever it is. */
export function guards(current: number): readonly (readonly [days: string, words: string])[] {
  const value = String(current);
  if (GUARDS.some(([days]) => days === value)) return GUARDS;
  return [...GUARDS, [value, `${value} days`] as const].toSorted(([one], [other]) => Number(one) - Number(other));
}
