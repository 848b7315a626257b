import { Temporal } from "temporal-polyfill";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The days and local times of a recurring shift. Dates are `YYYY-MM-DD`, times `HH:MM`. */
export type Recurrence = {
  starts: string;
  /** At or before `starts`: on the next day. */
  ends: string;
  time_zone: string;
  weekdays: readonly Weekday[] | null;
  every_weeks: number;
  days_on: number | null;
  days_off: number | null;
  from_date: string;
  until_date: string | null;
  except_dates: readonly string[];
};

type Times = { starts_at: number; ends_at: number };
export type Occurrence = Times & { date: string };

/** Returns the shifts of a pattern from one date to another, both included. */
export function occurrencesOf(pattern: Recurrence, first: string, last: string): Occurrence[] {
  const found: Occurrence[] = [];
  const end = Temporal.PlainDate.from(last);
  for (
    let date = Temporal.PlainDate.from(first);
    Temporal.PlainDate.compare(date, end) <= 0;
    date = date.add({ days: 1 })
  )
    if (occursOn(pattern, date)) found.push({ date: date.toString(), ...timesOn(pattern, date) });
  return found;
}

function occursOn(pattern: Recurrence, date: Temporal.PlainDate): boolean {
  const { weekdays, every_weeks, days_on, days_off, from_date, until_date, except_dates } = pattern;
  const text = date.toString();
  if (text < from_date || (until_date !== null && text > until_date) || except_dates.includes(text))
    return false;
  const from = Temporal.PlainDate.from(from_date);
  if (weekdays === null) {
    const on = days_on ?? 1;
    return from.until(date).days % (on + (days_off ?? 0)) < on;
  }
  const weeks = Math.floor(mondayOf(from).until(date).days / 7);
  return weekdays.includes(WEEKDAYS[date.dayOfWeek - 1] as Weekday) && weeks % every_weeks === 0;
}

function mondayOf(date: Temporal.PlainDate): Temporal.PlainDate {
  return date.subtract({ days: date.dayOfWeek - 1 });
}

function timesOn(
  { starts, ends, time_zone }: Pick<Recurrence, "starts" | "ends" | "time_zone">,
  date: Temporal.PlainDate,
): Times {
  const lastDay = ends <= starts ? date.add({ days: 1 }) : date;
  const starts_at = instantOf(date, starts, time_zone);
  const ends_at = instantOf(lastDay, ends, time_zone);
  if (ends_at > starts_at) return { starts_at, ends_at };
  // The start is in the hour that daylight saving skips, and the end right after it: keep the length.
  const planned = date.toPlainDateTime(starts).until(lastDay.toPlainDateTime(ends)).total("milliseconds");
  return { starts_at, ends_at: starts_at + planned };
}

/** Returns the moment of a local time; one that the clock skips is moved on, of one that occurs twice the first is used. */
function instantOf(date: Temporal.PlainDate, time: string, timeZone: string): number {
  return date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
}

/** Returns the moment of a local date and time; null if there is no such date or time. */
export function momentOf(date: string, time: string, time_zone: string): number | null {
  try {
    return instantOf(Temporal.PlainDate.from(date), time, time_zone);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the date at a moment in a time zone. */
export function dateAt(moment: number, time_zone: string): string {
  return zoned(moment, time_zone).toPlainDate().toString();
}

export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Returns the moment at which a date begins in a time zone. */
export function startOfDate(date: string, time_zone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(time_zone).epochMilliseconds;
}

/** Moves times by whole days and keeps their local times, also across a change of the clocks. */
export function moveByDays({ starts_at, ends_at }: Times, days: number, time_zone: string): Times {
  const move = (moment: number) => zoned(moment, time_zone).add({ days }).epochMilliseconds;
  const moved = { starts_at: move(starts_at), ends_at: move(ends_at) };
  return moved.ends_at > moved.starts_at
    ? moved
    : { ...moved, ends_at: moved.starts_at + (ends_at - starts_at) };
}

export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to)).days;
}

function zoned(moment: number, time_zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(time_zone);
}
