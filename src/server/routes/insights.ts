import { INSIGHT_ROUTES, onWire, onWireOrNull } from "../../api/index.ts";
import type { InsightsOnWire } from "../../api/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { Directory, Durations, Engine, Insights } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";
import { memberRefusal, projectRefusal } from "./filter-refusals.ts";

const MAX_PEOPLE = 100;

/** Figures about the past of a lifecycle's tasks. */
export function serveInsights(engine: Engine, directory: Directory): RouteSet {
  return serve(INSIGHT_ROUTES, {
    getInsights: async ({ caller, query }) => {
      const { lifecycle: name, window, project_id, member_id } = query;
      const unknown =
        (await engine.unknownName({ lifecycle: name })) ??
        (await projectRefusal(directory, caller, project_id)) ??
        (await memberRefusal(directory, caller, member_id));
      if (unknown) return unknown;
      const filter = defined({ project_id, person: member_id });
      const read = await engine.past.insights(caller, { lifecycle: name, window, ...filter });
      const lifecycle = engine.registry.lifecycles.get(name);
      const statuses = statusesOf(lifecycle, read);
      const isFinal = (status: string) => lifecycle?.statuses[status]?.final === true;
      const series = seriesOf(read, isFinal);
      return answer(200, {
        at: onWire(read.at),
        lifecycle: name,
        window,
        since: onWire(read.since),
        bucket_seconds: read.bucket_ms / 1_000,
        behind: read.behind,
        counted_until: onWireOrNull(read.counted_until),
        created: member_id === undefined ? series.created : null,
        finished: read.finished ?? series.finished,
        lead: { finished: read.lead.count, ...durationsOnWire(read.lead) },
        statuses: statuses.map((status) => ({
          status,
          final: isFinal(status),
          ...series.of(status),
          left: read.stays.get(status)?.count ?? 0,
          ...durationsOnWire(read.stays.get(status)),
        })),
        ageing: ageingOf(read),
        projects: projectsOf(read),
        people: peopleOf(read),
      });
    },
  });
}

/** Lists the declared statuses, followed by those of earlier versions that still have figures. */
function statusesOf(lifecycle: Lifecycle | undefined, { flows }: Insights): string[] {
  const past = flows.flatMap(({ from_status, to_status }) => [from_status ?? "+", to_status]);
  const names = new Set([...Object.keys(lifecycle?.statuses ?? {}), ...past]);
  return [...names].filter((status) => status !== "+" && status !== "-");
}

function seriesOf({ flows, buckets }: Insights, isFinal: (status: string) => boolean) {
  const moves = flows.flatMap((row) =>
    row.bucket === null || row.bucket >= buckets ? [] : [{ ...row, bucket: row.bucket }],
  );
  const byBucket = (of: (row: (typeof moves)[number]) => number): number[] => {
    const counts = Array.from({ length: buckets }, () => 0);
    for (const row of moves) counts[row.bucket] = (counts[row.bucket] ?? 0) + of(row) * row.moves;
    return counts;
  };
  const ends = ({ from_status, to_status }: { from_status: string | null; to_status: string }) =>
    isFinal(to_status) && from_status !== "-" && !isFinal(from_status ?? "+");
  return {
    created: byBucket(({ from_status }) => (from_status === "+" ? 1 : 0)),
    finished: byBucket((row) => (ends(row) ? 1 : 0)),
    of: (status: string) => {
      const entered = byBucket(({ to_status }) => (to_status === status ? 1 : 0));
      const changes = byBucket(
        ({ from_status, to_status }) => Number(to_status === status) - Number(from_status === status),
      );
      // Earlier levels are the present one without the later changes.
      const level = flows.find(({ from_status, to_status }) => from_status === null && to_status === status);
      const start = isFinal(status) ? 0 : (level?.moves ?? 0) - sum(changes);
      return { entered: sum(entered), flow: runningTotal(changes, start) };
    },
  };
}

function runningTotal(changes: readonly number[], start: number): number[] {
  let level = start;
  return changes.map((change) => (level += change));
}

function ageingOf({ ages, oldest, stays, at }: Insights): InsightsOnWire["ageing"] {
  return {
    statuses: ages.status.map((row) => ({
      status: row.status ?? "",
      tasks: row.tasks,
      oldest_entered_at: onWire(row.oldest_entered_at),
      over_p50: row.over_p50,
      over_p85: row.over_p85,
      over_p95: row.over_p95,
    })),
    oldest: oldest.map((task) => ({
      ...task,
      entered_at: onWire(task.entered_at),
      created_at: onWire(task.created_at),
      over: exceeded(stays.get(task.status), at - task.entered_at),
    })),
  };
}

function exceeded(usual: Durations | undefined, age: number): "p50" | "p85" | "p95" | null {
  const passed = (["p95", "p85", "p50"] as const).find((share) => {
    const limit = usual?.[share] ?? null;
    return limit !== null && age > limit;
  });
  return passed ?? null;
}

function projectsOf({ flows, by_project, ages, finished }: Insights): InsightsOnWire["projects"] {
  const created = flows.filter(({ bucket, from_status }) => bucket === null && from_status === "+");
  const ids = new Set([
    ...created.flatMap(({ project_id }) => project_id ?? []),
    ...by_project.keys(),
    ...ages.project.flatMap(({ project_id }) => project_id ?? []),
  ]);
  return [...ids].sort().map((project_id) => ({
    project_id,
    open: ages.project.find((row) => row.project_id === project_id)?.tasks ?? 0,
    created:
      finished === null
        ? sum(created.filter((row) => row.project_id === project_id).map((row) => row.moves))
        : null,
    finished: by_project.get(project_id)?.count ?? 0,
    ...durationsOnWire(by_project.get(project_id)),
  }));
}

function peopleOf({ by_person, ages }: Insights): InsightsOnWire["people"] {
  const ids = new Set([...by_person.keys(), ...ages.person.flatMap(({ person }) => person ?? [])]);
  return [...ids]
    .map((member_id) => ({
      member_id,
      open: ages.person.find(({ person }) => person === member_id)?.tasks ?? 0,
      finished: by_person.get(member_id)?.count ?? 0,
      ...durationsOnWire(by_person.get(member_id)),
    }))
    .sort((one, other) => other.finished - one.finished || other.open - one.open)
    .slice(0, MAX_PEOPLE);
}

function durationsOnWire(durations: Durations | undefined) {
  const secondsOf = (ms: number | null | undefined) => (ms == null ? null : ms / 1_000);
  return {
    p50_seconds: secondsOf(durations?.p50),
    p85_seconds: secondsOf(durations?.p85),
    p95_seconds: secondsOf(durations?.p95),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
