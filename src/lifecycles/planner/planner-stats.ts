import { onWire } from "../../api/index.ts";
import type { Instant } from "../../core/index.ts";
import { loadCalendar } from "./expand-patterns.ts";
import type { PlannerLoad, PlannerStats } from "./lead-shapes.ts";
import type { LoadRow, readPlannerStats, ReviewCount, WorkRow } from "./sql/read-planner-stats.ts";

export const DAY_MS = 86_400_000;

type StatsRows = Awaited<ReturnType<typeof readPlannerStats>>;
type Range = { from: Instant; to: Instant };

/** Returns when the days of a range begin: at midnight in a time zone, or without one every 24 hours. The first begins with the range. */
export async function daysOf({ from, to }: Range, time_zone: string | null): Promise<Instant[]> {
  if (time_zone === null)
    return Array.from({ length: Math.ceil((to - from) / DAY_MS) }, (_, day) => from + day * DAY_MS);
  const { addDays, dateAt, startOfDate } = await loadCalendar();
  const days = [from];
  const first = dateAt(from, time_zone);
  for (let day = 1; ; day++) {
    const begin = startOfDate(addDays(first, day), time_zone);
    if (begin >= to) return days;
    days.push(begin);
  }
}

/** Shapes the figures of a range. */
export function statsOnWire(
  { reviews, work, load, cut }: StatsRows,
  { from, to, days: begins }: Range & { days: readonly Instant[] },
): PlannerStats {
  const { approved, rejected, first_pass } = reviews;
  const done = new Map(reviews.days.map((row) => [row.day, row.done]));
  const days = begins.map((begin, day) => ({ from: onWire(begin), done: done.get(day) ?? 0 }));
  return {
    from: onWire(from),
    to: onWire(to),
    done: approved,
    rejected,
    lead_time_minutes: {
      p50: minutesOrNull(reviews.lead_p50_seconds),
      p90: minutesOrNull(reviews.lead_p90_seconds),
    },
    first_pass_yield: share(first_pass, approved),
    rework_rate: share(rejected, approved + rejected),
    days,
    people: loadOf("person", reviews.people, work, load).flatMap(({ name, ...row }) =>
      name === null ? [] : [{ member_id: name, ...row }],
    ),
    trades: loadOf("trade", reviews.trades, work, load).map(({ name, ...row }) => ({ trade: name, ...row })),
    complete: !cut,
  };
}

/** Joins the figures of people or trades by name, the most work first. */
function loadOf(
  per: "person" | "trade",
  counts: readonly ReviewCount[],
  work: readonly WorkRow[],
  load: readonly LoadRow[],
): (PlannerLoad & { name: string | null })[] {
  const rows = new Map<string | null, PlannerLoad & { name: string | null }>();
  const of = (name: string | null) => {
    const row = rows.get(name) ?? { name, done: 0, rejected: 0, worked_minutes: 0, open: 0 };
    rows.set(name, row);
    return row;
  };
  for (const { name, done, rejected } of counts) Object.assign(of(name), { done, rejected });
  for (const one of work) if (one.per === per) of(one.name).worked_minutes = rounded(one.minutes);
  for (const one of load) if (one.per === per) of(one.name).open = one.open;
  return [...rows.values()].sort(
    (a, b) =>
      b.worked_minutes - a.worked_minutes || b.done - a.done || ((a.name ?? "") < (b.name ?? "") ? -1 : 1),
  );
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

function minutesOrNull(seconds: number | null): number | null {
  return seconds === null ? null : rounded(seconds / 60);
}

function rounded(minutes: number): number {
  return Math.round(minutes * 100) / 100;
}
