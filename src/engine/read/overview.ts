import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { stuckStatuses } from "../../core/index.ts";
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
import { readClock } from "../sql/read-surroundings.ts";
import { readDueTimers } from "../sql/read-timers.ts";
import type { DueTimers } from "../sql/read-timers.ts";
import type { Tx } from "../transaction.ts";
import { visibleProjects } from "./visible-projects.ts";

/** How much of the feed and of the lists is looked at, at most. */
const MOST_EVENTS = 100_000;
const MOST_STAYS = 4_000;
const MOST_ATTENTION = 50;
const MOST_WORKERS = 100;
const MOST_TIMERS = 1_000;

export type OverviewQuery = {
  window_ms: number;
  bucket_ms: number;
  lifecycle?: string;
  project_id?: string;
};

/** How the work of an org moves, as one member may see it. */
export type Overview = {
  at: Instant;
  since: Instant;
  /** Later than `since` where so much happened that only the latest was counted. */
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
  // Buckets begin at round moments, so that bars do not tremble from one look to the next.
  const since = Math.floor((at - window_ms) / bucket_ms) * bucket_ms + bucket_ms;
  const { position: after, cut } = await findPosition(tx, org_id, { since, most: MOST_EVENTS });
  const stuck = stuckOf(registry);
  const [open, moves, stays, attention, workers, timers, first] = await Promise.all([
    countOpen(tx, org_id, scope, stuck),
    countMoves(tx, org_id, scope, { after, since, bucket_ms }),
    readStays(tx, org_id, scope, { after, since, most: MOST_STAYS }),
    listAttention(tx, org_id, scope, stuck, MOST_ATTENTION),
    listWorkers(tx, org_id, scope, MOST_WORKERS),
    readDueTimers(tx, org_id, scope, MOST_TIMERS),
    readEventTime(tx, org_id, after),
  ]);
  const counted_since = cut ? (first ?? since) : since;
  return { at, since, counted_since, open, moves, stays, attention, workers, timers };
}

function stuckOf({ lifecycles }: LifecycleRegistry) {
  const pairs = [...lifecycles.values()].flatMap((lifecycle) =>
    stuckStatuses(lifecycle).map((status) => ({ lifecycle: lifecycle.name, status })),
  );
  return {
    lifecycles: pairs.map(({ lifecycle }) => lifecycle),
    statuses: pairs.map(({ status }) => status),
  };
}
