// Days as the person counts them: by this machine's zone.

const two = (number: number) => String(number).padStart(2, "0");

/** The day of a time, such as `2026-12-03`. */
export function dayOf(at: string | number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Noon of a day, which is on that day whatever the clocks do. */
export function dateOf(day: string): Date {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, date ?? 1, 12);
}

/** A day in full, the year where it is not the present one. */
export function longDay(day: string, today: string): string {
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : ({ year: "numeric" } as const);
  return dateOf(day).toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long", ...year });
}

/** A day as people say it, beside its date. */
export function dayWord(day: string, today: string): string {
  if (day === today) return "Today";
  const before = dateOf(today);
  before.setDate(before.getDate() - 1);
  return day === dayOf(before.getTime()) ? "Yesterday" : longDay(day, today);
}

/** The time of day, by the customs of the person. */
export function clock(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
