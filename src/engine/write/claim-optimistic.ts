import { isDeepStrictEqual } from "node:util";
import { randomUuids } from "../../std/random-uuids.ts";
import { decide } from "../../core/index.ts";
import type { Instant, JsonObject, Lease, Lifecycle, Moved, Refusal, Task } from "../../core/index.ts";
import { column, jsonColumn, sparseColumn } from "../columns.ts";
import { CLAIM_TASKS } from "../sql/claim-tasks.ts";
import type { ClaimedCells } from "../sql/claim-tasks.ts";
import type { Write } from "../sql/statement.ts";
import { readAllSettings } from "../sql/read-projects.ts";
import { eventHeader } from "../upkeep/seal.ts";
import { taskOfCells } from "../sql/task-columns.ts";
import { isFinal, isPooled } from "../task-row.ts";
import { queryCells } from "../transaction.ts";
import { claimedTask } from "./claim.ts";
import type { ClaimAttempt, ClaimCommand, Claimed } from "./claim.ts";
import { Retry } from "./command-queue.ts";
import type { Outcome } from "./command-queue.ts";
import { UnknownValue } from "./row-cache.ts";
import type { NodeCache } from "./optimistic.ts";
import type { StoredTask } from "./stored-answers.ts";
import { newLease } from "./unit-of-work.ts";

/** The outcome of a claim whose rule reads more of the task: it is retried with locks. */
const LOCKED = new Retry({ mode: "locked" });

/** In orgs with more projects than this, claims on all projects are not optimistic: their settings are not compared. */
const MAX_PROJECTS = 1_000;

/**
 * Runs claims of one group in one statement, if the decision is the same for every free task: the rules of many pools read nothing
 * of a task beyond what the pool guarantees.
 */
export async function claimOptimistically(
  cache: NodeCache,
  org_id: string,
  attempts: readonly ClaimAttempt[],
  batch: string,
): Promise<Outcome<Claimed | Refusal>[]> {
  const locked = attempts.map(() => LOCKED);
  const commands = attempts.map(({ command }) => command);
  const [{ lifecycle, filter }] = commands as [ClaimCommand];
  const { pool } = lifecycle;
  const common = await commonSettings(cache, org_id, lifecycle, filter.projects);
  if (!pool || !common || filter.field !== null || filter.other_than !== null) return locked;
  const { now, settings } = common;
  const decisions = commands.map((command) => decideForAny(lifecycle, command, settings, now));
  const moves = decisions.filter((decision) => decision !== null);
  const [first] = moves;
  if (first === undefined || moves.length < decisions.length || !moves.every((move) => isLike(move, first)))
    return locked;
  const slots = slotsOf(commands, moves, common);
  const { text, params } = claimStatement(commands, moves, slots, { ...common, org_id, batch });
  const rows = await queryCells<ClaimedCells>(cache.sql, text, params);
  const [xmin, open, clock] = [rows[0]?.[2] ?? "", rows[0]?.[32] ?? false, rows[0]?.[33] ?? 0];
  if (!open) {
    cache.settings.delete(org_id);
    return locked;
  }
  cache.clock.set(clock);
  const answers = commands.map((): Claimed => ({
    kind: "claimed",
    tasks: [],
    refusal: null,
    replayed: false,
  }));
  // Perhaps an identical request has just taken the tasks: the locked mode waits for its commit.
  const outcome = (answer: Claimed, at: number) =>
    answer.tasks.length === 0 && commands[at]?.client_event_id !== null ? LOCKED : answer;
  for (const cells of rows) {
    if (cells[31] === null) break;
    const { claim, lease } = slots[cells[31] - 1] as Slot;
    const task = taskAfterClaim(org_id, cells, lifecycle, moves[claim] as Moved, lease, now);
    cache.rows.set({ lifecycle, task, ctid: cells[1], xmin, awaited: cells[29] ?? false });
    answers[claim]?.tasks.push(claimedTask(task));
  }
  return answers.map(outcome);
}

/** A place for one task: the claim that gets it, and its lease. */
type Slot = { claim: number; lease: Lease | null };

function slotsOf(
  commands: readonly ClaimCommand[],
  moves: readonly Moved[],
  { now, settings }: CommonSettings,
): Slot[] {
  return commands.flatMap(({ lifecycle, actor, filter: { limit } }, claim): Slot[] => {
    if (moves[claim]?.lease !== "open") return Array.from({ length: limit }, () => ({ claim, lease: null }));
    const lease = newLease(lifecycle, actor, settings, now);
    return randomUuids(limit).map((token) => ({ claim, lease: { ...lease, token } }));
  });
}

/** Builds a claimed task. The cells contain only the values that the claim did not set. */
function taskAfterClaim(
  org_id: string,
  cells: ClaimedCells,
  lifecycle: Lifecycle,
  { to, patch, timer }: Moved,
  lease: Lease | null,
  now: Instant,
): Task {
  const task = taskOfCells(org_id, cells, undefined);
  const { due_at, due_action } = timer === "keep" || timer === null ? NO_TIMER : timer;
  task.lifecycle = lifecycle.name;
  task.status = to;
  if (patch.assigned_to !== undefined) task.assigned_to = patch.assigned_to;
  task.due_at = due_at;
  task.due_action = due_action;
  task.lease = lease;
  task.updated_at = task.entered_at = cells[23] ?? now;
  return task;
}

const NO_TIMER = { due_at: null, due_action: null };

/** Builds the statement by which the claims of one group take tasks; `moves` are their decisions. */
function claimStatement(
  commands: readonly ClaimCommand[],
  moves: readonly Moved[],
  slots: readonly Slot[],
  { org_id, now, batch, version }: CommonSettings & { org_id: string; batch: string },
): Write {
  const [{ lifecycle, filter }] = commands as [ClaimCommand];
  const [first] = moves as [Moved];
  const leases: (Lease | null)[] = commands.map(() => null);
  for (const { claim, lease } of slots) leases[claim] ??= lease;
  return CLAIM_TASKS({
    org_id,
    now,
    batch,
    settings_version: version,
    lifecycle: lifecycle.name,
    version: lifecycle.version,
    public: filter.public,
    claimers: column([...new Set(commands.flatMap(({ actor }) => actor.id ?? []))]),
    projects: filter.projects,
    unassigned: filter.unassigned,
    unblocked: filter.unblocked,
    unheld: filter.unheld,
    least_priority: filter.least_priority,
    wanted_field: filter.wanted_field,
    wanted_values: filter.wanted_values,
    wanted: slots.length,
    status: first.to,
    stays_pooled: isPooled(lifecycle, first.to),
    type: first.event.type,
    action: first.event.action,
    from_status: first.event.from,
    assigns: first.patch.assigned_to !== undefined,
    actors: column(commands.map(({ actor }) => actor.id)),
    header: column(
      commands.map(({ actor }, at) => {
        const { event, to } = moves[at] as Moved;
        return eventHeader(event.type, event.action, event.from, to, actor.id);
      }),
    ),
    marks: column(commands.map(({ journalKey }) => journalKey)),
    comments: sparseColumn(
      moves.map(({ event }) => (event.comment === null ? null : JSON.stringify(event.comment))),
    ),
    patches: jsonColumn(moves.map(({ patch, to }) => ({ ...patch, status: to }))),
    datas: jsonColumn(moves.map(({ patch }) => patch.data ?? null)),
    assignees: sparseColumn(moves.map(({ patch }) => patch.assigned_to ?? null)),
    due_ats: sparseColumn(moves.map((move) => timerOf(move)?.due_at ?? null)),
    due_actions: sparseColumn(moves.map((move) => timerOf(move)?.due_action ?? null)),
    lease_holders: sparseColumn(leases.map((lease) => lease?.holder ?? null)),
    leased_ats: sparseColumn(leases.map((lease) => lease?.heartbeat_at ?? null)),
    lease_untils: sparseColumn(leases.map((lease) => lease?.until ?? null)),
    slots: column(slots.map(({ claim }) => claim + 1)),
    tokens: sparseColumn(slots.map(({ lease }) => lease?.token ?? null)),
    fingerprints: sparseColumn(
      commands.map(({ client_event_id, fingerprint }) => (client_event_id === null ? null : fingerprint)),
    ),
    shared: jsonColumn(moves.map((move, at) => sharedBy(lifecycle, move, leases[at] ?? null))),
  });
}

/** Whether two claims move tasks in the same way, so that they can share a statement. */
function isLike({ to, event, patch }: Moved, other: Moved): boolean {
  const { type, action } = other.event;
  const assigns = (patch.assigned_to === undefined) === (other.patch.assigned_to === undefined);
  return to === other.to && event.type === type && event.action === action && assigns;
}

/** The part of a claim's stored answer that is the same for all its tasks. */
function sharedBy(
  { version }: Lifecycle,
  move: Moved,
  lease: Lease | null,
): Omit<StoredTask, "id" | "row_version"> {
  const { token: _, ...held } = lease ?? {};
  return {
    lifecycle_version: version,
    ...timerOf(move),
    ...(lease && { lease: held as Omit<Lease, "token"> }),
  };
}

function timerOf({ timer }: Moved) {
  return timer === "keep" ? null : timer;
}

/** Decides the pool's action for any free task; null if the decision depends on the task. */
function decideForAny(
  lifecycle: Lifecycle,
  { actor, command, filter }: ClaimCommand,
  settings: JsonObject,
  now: Instant,
): Moved | null {
  try {
    const task = anyFreeTask(lifecycle, filter);
    const decision = decide(lifecycle, { task, actor, facts: UNKNOWN_FACTS, settings, now }, command);
    if (decision.kind !== "moved" || decision.effects.length > 0 || decision.timer === "keep") return null;
    const isSimple = Object.keys(decision.patch).every((name) => name === "assigned_to" || name === "data");
    const moves = decision.to !== lifecycle.pool?.from && !isFinal(lifecycle, decision.to);
    return isSimple && moves && decision.to !== lifecycle.unblocks?.from ? decision : null;
  } catch (error) {
    if (error instanceof UnknownValue) return null;
    throw error;
  }
}

/** Represents any task that the claim may get: has only the values that the pool guarantees; reading another throws UnknownValue. */
function anyFreeTask({ name, pool, statuses }: Lifecycle, filter: ClaimCommand["filter"]): Task {
  const known: Partial<Task> = {
    lifecycle: name,
    status: pool?.from ?? "",
    private: false,
    // The pool's query selects only tasks that are available now.
    available_at: null,
    ...(filter.unassigned ? { assigned_to: null } : {}),
    ...(filter.unblocked ? { open_blockers: 0 } : {}),
    ...(filter.unheld ? { open_holds: 0 } : {}),
    ...(statuses[pool?.from ?? ""]?.lease ? {} : { lease: null }),
  };
  return onlyKnown(known) as Task;
}

/** Throws UnknownValue on reading a value that is not given. */
function onlyKnown(known: object): object {
  return new Proxy(known, {
    get: (values, field) => {
      if (field in values) return Reflect.get(values, field) as unknown;
      throw new UnknownValue();
    },
    ownKeys: () => {
      throw new UnknownValue();
    },
  });
}

/** Replaces the facts of the pool's action. A rule that reads one is decided with locks, after its facts are loaded. */
const UNKNOWN_FACTS = onlyKnown({}) as JsonObject;

type CommonSettings = { now: Instant; version: number; settings: JsonObject };

/** Returns the settings shared by all projects that the claims may take from, with the time; null if the projects differ. */
async function commonSettings(
  { sql, settings, clock, registry }: NodeCache,
  org_id: string,
  lifecycle: Lifecycle,
  projects: readonly string[] | null,
): Promise<CommonSettings | null> {
  let cached = settings.get(org_id);
  let now = clock.now();
  const isComplete =
    cached && now !== null && (projects ? projects.every((id) => cached?.projects.has(id)) : cached.isAll);
  if (!isComplete) {
    const read = await readAllSettings(sql, org_id, MAX_PROJECTS);
    clock.set(read.now);
    now = read.now;
    settings.setAll(org_id, read.version, read.settings, read.isAll);
    cached = settings.get(org_id);
  }
  if (!cached || now === null) return null;
  const texts = projects ? projects.map((id) => cached.projects.get(id)) : [...cached.projects.values()];
  if (!projects && !cached.isAll) return null;
  if (texts.includes(undefined)) return null;
  const [first, ...others] = new Set(
    (texts as string[]).map((text) => registry.settingsFor(lifecycle, text)),
  );
  if (!first || !others.every((other) => isDeepStrictEqual(other, first))) return null;
  return { now, version: cached.version, settings: first };
}
