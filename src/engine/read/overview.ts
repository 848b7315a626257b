import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import type { Actor, Instant } from "../../core/index.ts";
import { countMoves, readEventTime } from "../sql/count-moves.ts";
import type { MovesRow } from "../sql/count-moves.ts";
import { countOpen } from "../sql/count-open.ts";
import type { OpenRow, Scope } from "../sql/count-open.ts";
import { findPosition } from "../sql/find-position.ts";
import { listAttention } from "../sql/list-attention.ts";
import type { AttentionRow } from "../sql/list-attention.ts";
import { listWorkers } from "../sql/list-workers.ts";
import type { WorkerRow } from "../sql/list-workers.ts";
import { readStays } from "../sql/read-stays.ts";
import type { StayRow } from "../sql/read-stays.ts";
import { readClock } from "../sql/read-task-context.ts";
import { readDueTimers } from "../sql/read-timers.ts";
import type { DueTimers } from "../sql/read-timers.ts";
import type { Tx } from "../transaction.ts";
import { stuckPairs } from "./stuck-pairs.ts";
import { visibleProjects } from "./visible-projects.ts";

/** Maximum numbers of rows that are read. */
const MAX_EVENTS = 100_000;
const MAX_STAYS = 4_000;
const MAX_ATTENTION = 50;
const MAX_WORKERS = 100;
const MAX_TIMERS = 1_000;

export type OverviewQuery = {
  window_ms: number;
  bucket_ms: number;
  lifecycle?: string;
  project_id?: string;
};

/** Figures about an org's tasks, limited to those that one member may see. */
export type Overview = {
  at: Instant;
  since: Instant;
  /** Later than `since` if there were more events than the maximum, so that only the latest were counted. */
  counted_since: Instant;
  open: OpenRow[];
  moves: MovesRow[];
  stays: StayRow[];
  attention: AttentionRow[];
  workers: WorkerRow[];
  timers: DueTimers;
};

export async function readOverview(
  registry: LifecycleRegistry,
  tx: Tx,
  { org_id, actor }: { org_id: string; actor: Actor },
  { window_ms, bucket_ms, lifecycle, project_id }: OverviewQuery,
): Promise<Overview> {
  const scope: Scope = {
    lifecycle: lifecycle ?? null,
    projects: visibleProjects(actor, project_id ?? null),
    reader: actor.id,
  };
  const at = await readClock(tx);
  // Buckets start at multiples of their length, so that the bars of a chart stay the same between two requests.
  const since = Math.floor((at - window_ms) / bucket_ms) * bucket_ms + bucket_ms;
  const { position: after, cut } = await findPosition(tx, org_id, { since, most: MAX_EVENTS });
  const stuck = stuckPairs(registry);
  const [open, moves, stays, attention, workers, timers, first] = await Promise.all([
    countOpen(tx, org_id, scope, stuck),
    countMoves(tx, org_id, scope, { after, since, bucket_ms }),
    readStays(tx, org_id, scope, { after, since, max: MAX_STAYS }),
    listAttention(tx, org_id, scope, stuck, MAX_ATTENTION),
    listWorkers(tx, org_id, scope, MAX_WORKERS),
    readDueTimers(tx, org_id, scope, MAX_TIMERS),
    readEventTime(tx, org_id, after),
  ]);
  const counted_since = cut ? (first ?? since) : since;
  return { at, since, counted_since, open, moves, stays, attention, workers, timers };
}
