/** A count with its noun. */
export function many(count: number, one: string, more: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${more}`;
}

/** How much of a disk so many KiB are, as the application says it. */
export function sizeWord(kilobytes: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let rest = kilobytes;
  let unit = 0;
  while (rest >= 10_240 && unit + 1 < units.length) {
    rest = Math.floor(rest / 1024);
    unit += 1;
  }
  return `${rest} ${units[unit]}`;
}
