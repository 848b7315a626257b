import type { Actor, Instant } from "../../core/index.ts";
import { AGE_PARTS, countAges, listOldest } from "../sql/read-ages.ts";
import type { AgeRow, AgeScope, OldTask } from "../sql/read-ages.ts";
import {
  readFinishBins,
  readFinishedOfPerson,
  readFlows,
  readProgress,
  readStayBins,
} from "../sql/read-insights.ts";
import type { FinishBin, FlowRow, StayBin } from "../sql/read-insights.ts";
import { readClock } from "../sql/read-task-context.ts";
import { FIRST_MONDAY } from "../sql/roll-up-events.ts";
import type { Tx } from "../transaction.ts";
import { percentiles } from "./histogram.ts";
import { visibleProjects } from "./visible-projects.ts";

const MAX_OLDEST = 20;
const SHARES = [0.5, 0.85, 0.95] as const;

const [HOUR, DAY, WEEK, MONTH] = [3_600, 86_400, 7 * 86_400, 28 * 86_400];

/**
 * The windows of the figures, in seconds: their length, the length of one bar, and the periods that are read. Histograms are
 * read by coarse periods, and by those of the bars only for the time before the first whole coarse one.
 */
const WINDOWS = {
  hour: { length: HOUR, bucket: 60, grain: 60, coarse_grain: 60 },
  day: { length: DAY, bucket: HOUR, grain: HOUR, coarse_grain: HOUR },
  week: { length: WEEK, bucket: 4 * HOUR, grain: HOUR, coarse_grain: DAY },
  month: { length: 30 * DAY, bucket: DAY, grain: DAY, coarse_grain: WEEK },
  quarter: { length: 91 * DAY, bucket: DAY, grain: DAY, coarse_grain: MONTH },
  year: { length: 364 * DAY, bucket: WEEK, grain: WEEK, coarse_grain: MONTH },
} as const;

export type InsightQuery = {
  lifecycle: string;
  window: keyof typeof WINDOWS;
  project_id?: string;
  /** Only tasks that were assigned to this member. */
  person?: string;
};

/** Number of tasks or stays, and the durations in milliseconds that half, 85 % and 95 % of them did not exceed. */
export type Durations = { count: number; p50: number | null; p85: number | null; p95: number | null };

/** Figures of one lifecycle. Statuses with the names '+' and '-' are those of tasks before and after they can be seen. */
export type Insights = {
  at: Instant;
  since: Instant;
  bucket_ms: number;
  buckets: number;
  behind: number;
  counted_until: Instant | null;
  flows: FlowRow[];
  /** Tasks finished by bucket, if the figures are those of one member. */
  finished: number[] | null;
  stays: Map<string, Durations>;
  lead: Durations;
  by_project: Map<string, Durations>;
  by_person: Map<string, Durations>;
  ages: Record<keyof typeof AGE_PARTS, AgeRow[]>;
  oldest: OldTask[];
};

export async function readInsights(
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  { lifecycle, window, project_id, person }: InsightQuery,
): Promise<Insights> {
  const at = await readClock(tx);
  const { length, bucket, grain, coarse_grain } = WINDOWS[window];
  const bucket_ms = bucket * 1_000;
  // Buckets begin at multiples of their length, so that the bars of a chart stay the same between two requests.
  const since = startOf(at - length * 1_000, bucket) + bucket_ms;
  const projects = visibleProjects(actor, project_id ?? null);
  const scope = { lifecycle, projects, since };
  const periods = { grain, since, coarse_grain, coarse_since: endOf(since, coarse_grain) };
  const series = { grain, bucket_ms };
  const [progress, flows, stayBins, finishBins, finished] = await Promise.all([
    readProgress(tx, org_id),
    readFlows(tx, org_id, scope, series),
    readStayBins(tx, org_id, scope, person ?? "", periods),
    readFinishBins(tx, org_id, scope, person ?? null, periods),
    person === undefined ? null : readFinishedOfPerson(tx, org_id, scope, { person, ...series }),
  ]);
  const buckets = Math.floor((at - since) / bucket_ms) + 1;
  const stays = staysByStatus(stayBins);
  const open: AgeScope = { lifecycle, projects, reader: actor.id, person: person ?? null };
  const limits = [...stays];
  const [ages, oldest] = await Promise.all([
    countAges(tx, org_id, open, {
      statuses: limits.map(([status]) => status),
      p50: limits.map(([, { p50 }]) => p50),
      p85: limits.map(([, { p85 }]) => p85),
      p95: limits.map(([, { p95 }]) => p95),
    }),
    listOldest(tx, org_id, open, MAX_OLDEST),
  ]);
  const partOf = (part: number) => ages.filter((row) => row.part === part);
  return {
    at,
    since,
    bucket_ms,
    buckets,
    ...progress,
    flows,
    finished:
      finished &&
      Array.from({ length: buckets }, (_, index) => finished.find((row) => row.bucket === index)?.tasks ?? 0),
    stays,
    lead: durationsOf(finishBins.filter((row) => row.project_id !== null)),
    by_project: grouped(finishBins, ({ project_id: project }) => project),
    by_person: grouped(finishBins, ({ person: name }) => (name === "" ? null : name)),
    ages: {
      status: partOf(AGE_PARTS.status),
      project: partOf(AGE_PARTS.project),
      person: partOf(AGE_PARTS.person),
    },
    oldest,
  };
}

/** Returns the start of the period that contains a time; periods are those of the stored figures. */
function startOf(time: Instant, seconds: number): Instant {
  const [first, length] = [FIRST_MONDAY * 1_000, seconds * 1_000];
  return Math.floor((time - first) / length) * length + first;
}

/** Returns the first start of a period at or after a time. */
function endOf(time: Instant, seconds: number): Instant {
  const start = startOf(time, seconds);
  return start === time ? time : start + seconds * 1_000;
}

function staysByStatus(bins: readonly StayBin[]): Map<string, Durations> {
  return grouped(bins, ({ status }) => status);
}

function grouped<Row extends { bin: number; count: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | null,
): Map<string, Durations> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return new Map([...groups].map(([key, group]) => [key, durationsOf(group)]));
}

function durationsOf(rows: readonly Pick<StayBin | FinishBin, "bin" | "count">[]): Durations {
  const histogram = new Map<number, number>();
  for (const { bin, count } of rows) histogram.set(bin, (histogram.get(bin) ?? 0) + count);
  const [p50 = null, p85 = null, p95 = null] = percentiles(histogram, SHARES);
  return { count: rows.reduce((sum, { count }) => sum + count, 0), p50, p85, p95 };
}
