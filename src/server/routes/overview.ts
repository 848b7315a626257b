import { onWire, onWireOrNull, OVERVIEW_ROUTES, OVERVIEW_WINDOWS } from "../../api/index.ts";
import type { OverviewOnWire } from "../../api/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { Directory, Engine, Overview } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";
import { projectRefusal } from "./filter-refusals.ts";

/** The overview of tasks and workers. */
export function serveOverview(engine: Engine, directory: Directory): RouteSet {
  return serve(OVERVIEW_ROUTES, {
    getOverview: async ({ caller, query: { window, ...scope } }) => {
      const unknown =
        (await engine.unknownName(scope)) ?? (await projectRefusal(directory, caller, scope.project_id));
      if (unknown) return unknown;
      const { seconds, bucket_seconds } = OVERVIEW_WINDOWS[window];
      const times = { window_ms: seconds * 1_000, bucket_ms: bucket_seconds * 1_000 };
      const read = await engine.overview(caller, { ...times, ...defined(scope) });
      const lifecycles = [...engine.registry.lifecycles.values()].filter(
        ({ name }) => (scope.lifecycle ?? name) === name,
      );
      const buckets = Math.ceil((read.at - read.since + 1) / times.bucket_ms);
      return answer(200, {
        at: onWire(read.at),
        window,
        since: onWire(read.since),
        bucket_seconds,
        counted_since: onWire(read.counted_since),
        lifecycles: lifecycles.map((lifecycle) => figuresOf(lifecycle, read, buckets)),
        attention: read.attention.map(attentionOnWire),
        workers: read.workers.map(workerOnWire),
        sweep: read.timers,
      });
    },
  });
}

type Figures = OverviewOnWire["lifecycles"][number];

function figuresOf({ name, statuses }: Lifecycle, read: Overview, buckets: number): Figures {
  const open = read.open.filter(({ lifecycle }) => lifecycle === name);
  const moves = read.moves.filter(({ lifecycle }) => lifecycle === name);
  const stays = read.stays.filter(({ lifecycle }) => lifecycle === name);
  const isFinal = (status: string) => statuses[status]?.final === true;
  return {
    name,
    open: sum(open.map(({ tasks }) => tasks)),
    attention: sum(open.map(({ attention }) => attention)),
    statuses: Object.keys(statuses).map((status) => {
      const here = open.find((row) => row.status === status);
      const stay = stays.find((row) => row.status === status);
      return {
        status,
        final: isFinal(status),
        tasks: isFinal(status) ? null : (here?.tasks ?? 0),
        entered: sum(moves.filter(({ to_status }) => to_status === status).map((row) => row.moves)),
        oldest_entered_at: onWireOrNull(here?.oldest_entered_at ?? null),
        left: stay?.moves ?? 0,
        median_seconds: stay?.median_seconds ?? null,
        slow_seconds: stay?.slow_seconds ?? null,
      };
    }),
    moves: arrowsOf(moves),
    created: byBucket(
      moves.filter(({ from_status }) => from_status === null),
      buckets,
    ),
    finished: byBucket(
      moves.filter(({ to_status }) => isFinal(to_status)),
      buckets,
    ),
  };
}

function arrowsOf(moves: Overview["moves"]): Figures["moves"] {
  const arrows = new Map<string, Figures["moves"][number]>();
  for (const { from_status: from, to_status: to, action, moves: count } of moves) {
    if (from === null) continue;
    const key = JSON.stringify([from, to, action]);
    arrows.set(key, { from, to, action, count: count + (arrows.get(key)?.count ?? 0) });
  }
  return [...arrows.values()];
}

function byBucket(rows: Overview["moves"], buckets: number): number[] {
  const counts = Array.from({ length: buckets }, () => 0);
  for (const { bucket, moves } of rows) if (bucket < buckets) counts[bucket] = (counts[bucket] ?? 0) + moves;
  return counts;
}

function attentionOnWire(row: Overview["attention"][number]): OverviewOnWire["attention"][number] {
  const { since, due_at, flagged, overdue, stuck, ...task } = row;
  const reasons = [flagged && "flagged", overdue && "overdue", stuck && "stuck"] as const;
  return {
    ...task,
    since: onWire(since),
    due_at: onWireOrNull(due_at),
    reasons: reasons.filter((reason) => reason !== false),
  };
}

function workerOnWire(row: Overview["workers"][number]): OverviewOnWire["workers"][number] {
  return {
    ...row,
    heartbeat_at: onWireOrNull(row.heartbeat_at),
    lease_until: onWireOrNull(row.lease_until),
    last_act_at: onWireOrNull(row.last_act_at),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
