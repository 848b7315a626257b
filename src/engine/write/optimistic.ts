import { decide, isRefusal } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import type { PoolArrivals } from "./pool-arrivals.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { isUuid } from "../../std/uuid.ts";
import { readProjects } from "../sql/read-projects.ts";
import { saveCreations } from "../sql/save-creations.ts";
import type { CreatedCells, NewTaskRow } from "../sql/save-creations.ts";
import { saveMoves } from "../sql/save-moves.ts";
import type { WrittenCells } from "../sql/save-moves.ts";
import { queryCells } from "../transaction.ts";
import type { Queryable } from "../transaction.ts";
import { Retry } from "./command-queue.ts";
import type { Outcome } from "./command-queue.ts";
import * as create from "./create.ts";
import type { CreateAttempt } from "./create.ts";
import type { CreatedTasks } from "./creations.ts";
import { Creations, isSimple } from "./creations.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { finishes, unblockedBy } from "./follow-dependents.ts";
import { requireHeartbeat, UnknownValue } from "./row-cache.ts";
import type { RowCache } from "./row-cache.ts";
import type { SettingsCache } from "./settings-cache.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { answerTo, callEntry, commandFingerprint, stored, workFor } from "./perform.ts";
import type { PerformCommand, Performed } from "./perform.ts";
import { afterDecision, movedBy } from "./unit-of-work.ts";
import type { LoadedTask, Move } from "./work.ts";

/** A node's caches, and the client for statements that are their own transactions. */
export type NodeCache = {
  sql: Queryable;
  registry: LifecycleRegistry;
  rows: RowCache;
  settings: SettingsCache;
  clock: DatabaseClock;
};

/** The outcome of a command that needs more than one statement: it is retried with locks. */
const LOCKED = new Retry({ mode: "locked" });

/** A move that is written if its row is unchanged, with the answer for the caller. */
type Planned = { move: Move; answer: Performed };
type Plan = Planned & { at: number };

/**
 * Runs commands without locks and, if their rows are cached, without a read: decides on the cached rows and writes those that are
 * unchanged in one statement. Only a fresh read can lead to a refusal.
 */
export async function performOptimistically(
  cache: NodeCache,
  org_id: string,
  commands: readonly PerformCommand[],
  arrivals: PoolArrivals,
): Promise<Outcome<Performed | Refusal>[]> {
  const outcomes: Outcome<Performed | Refusal>[] = commands.map(() => LOCKED);
  const now = cache.clock.now();
  const version = cache.settings.get(org_id)?.version ?? null;
  let plans: Plan[] = [];
  const unread: { command: PerformCommand; at: number }[] = [];
  for (const [at, command] of commands.entries()) {
    const planned = now === null ? null : planOnCached(cache, org_id, command, now);
    if (planned === null) unread.push({ command, at });
    else if ("move" in planned) plans.push({ at, ...planned });
  }
  let moment = now;
  let settings_version = version;
  if (unread.length > 0) {
    const read = await readAndPlan(cache, org_id, unread, now, outcomes);
    // Plans made with other settings are discarded and decided again.
    if (read.settings_version !== version) plans = [];
    plans.push(...read.plans);
    ({ moment, settings_version } = read);
  }
  if (plans.length === 0 || moment === null) return outcomes;
  // Write in id order: two nodes that write the same rows in different orders deadlock.
  plans.sort((one, other) => (one.move.after.id < other.move.after.id ? -1 : 1));
  const moves = plans.map(({ move }) => move);
  const { text, params } = saveMoves({ org_id, now: moment, moves, partly: true, settings_version });
  const written = await queryCells<WrittenCells>(cache.sql, text, params);
  for (const { move } of plans) cache.rows.delete(org_id, move.after.id);
  if (written.length === 0) cache.settings.delete(org_id);
  for (const [n, ctid, xmin, clock] of written) {
    const { at, move, answer } = plans[n - 1] as Plan;
    const { lifecycle, awaited } = move.work;
    cache.clock.set(clock);
    cache.rows.set({ lifecycle, task: move.after, ctid, xmin, awaited });
    arrivals.addPooled(lifecycle, move.after);
    outcomes[at] = answer;
  }
  return outcomes;
}

/** Returns null if the task must be read: it is not cached well enough, or the command would be refused. */
function planOnCached(
  { rows, settings, registry }: NodeCache,
  org_id: string,
  command: PerformCommand,
  now: Instant,
): Planned | Retry | null {
  const cached = rows.get(org_id, command.request.task_id);
  const text = cached && settings.get(org_id)?.projects.get(cached.task.project_id);
  if (!cached || text === undefined) return null;
  const loaded = { ...cached, settings: registry.settingsFor(cached.lifecycle, text) };
  try {
    const planned = plan(command, loaded, now);
    return isRefusal(planned) ? null : planned;
  } catch (error) {
    if (error instanceof UnknownValue) return null;
    throw error;
  }
}

async function readAndPlan(
  cache: NodeCache,
  org_id: string,
  unread: readonly { command: PerformCommand; at: number }[],
  /** The time at which the rest of the batch was decided; null if nothing was. */
  estimate: Instant | null,
  outcomes: Outcome<Performed | Refusal>[],
): Promise<{ moment: Instant; settings_version: number; plans: Plan[] }> {
  const { sql, registry } = cache;
  const ids = unread.map(({ command }) => command.request.task_id).filter(isUuid);
  const keys = [...new Set(unread.flatMap(({ command }) => command.request.client_event_id ?? []))];
  // Tasks and used keys in one snapshot: if an identical request was first, its key must be visible together with its move.
  const snapshot = await readSnapshot(registry, sql, org_id, ids, keys);
  const { now, tasks, settings, settings_version, used } = snapshot;
  if (tasks.size > 0) cache.clock.set(now);
  for (const [project_id, text] of settings) cache.settings.set(org_id, settings_version, project_id, text);
  const moment = estimate ?? now;
  const plans: Plan[] = [];
  for (const { command, at } of unread) {
    const { task_id, client_event_id } = command.request;
    // The key was used before: only the locked mode replays answers.
    if (client_event_id != null && (used.has(client_event_id) || tasks.size === 0)) continue;
    const planned = plan(command, tasks.get(task_id), moment);
    // The estimated time lags: a refusal counts only if the actual time leads to it, too.
    const checked = isRefusal(planned) && moment < now ? plan(command, tasks.get(task_id), now) : planned;
    if (isRefusal(checked)) outcomes[at] = checked;
    else if ("move" in planned) plans.push({ at, ...planned });
  }
  return { moment, settings_version, plans };
}

/** Decides a command: a move that one statement can write, a refusal, or `Again` if it needs locks. */
function plan(
  command: PerformCommand,
  loaded: LoadedTask | undefined,
  now: Instant,
): Planned | Refusal | Retry {
  const work = workFor(command, loaded);
  if (isRefusal(work)) return work;
  const { lifecycle, task, actor, settings, awaited } = work;
  if (task.updated_at > now) return LOCKED;
  if ((lifecycle.actions[work.command.action]?.facts ?? []).length > 0) return LOCKED;
  const decision = decide(lifecycle, { task, actor, facts: {}, settings, now }, work.command);
  if (isRefusal(decision)) return decision;
  if (decision.kind !== "moved" || decision.effects.length > 0) return LOCKED;
  if (decision.patch.exclusive_key !== undefined) return LOCKED;
  // The answer contains the lease with its last heartbeat, which a cached row does not have.
  if (decision.lease === "keep" && task.lease !== null) requireHeartbeat(task.lease);
  const after = afterDecision(work, decision, now);
  if (awaited && finishes({ work, after })) return LOCKED;
  if (unblockedBy({ lifecycle, task: after }) !== null) return LOCKED;
  const answer = answerTo(movedBy(work, decision, after, null)) as Performed;
  const keyed = command.request.client_event_id != null;
  const { call } = command;
  const record =
    keyed && !call
      ? { fingerprint: commandFingerprint(command, work.command), answer: stored(answer) }
      : null;
  const entry = call && { call: call.key, answer: callEntry(call.index, command, work.command, answer) };
  return { move: { work, decision, after, stale: false, made: null, record, entry }, answer };
}

/** Creates tasks in one statement, with cached settings, if nothing but their rows has to be written. */
export async function createOptimistically(
  cache: NodeCache,
  org_id: string,
  attempts: readonly CreateAttempt[],
  arrivals: PoolArrivals,
): Promise<Outcome<CreatedTasks | Refusal>[]> {
  const outcomes: Outcome<CreatedTasks | Refusal>[] = attempts.map(() => LOCKED);
  const all = attempts.map(({ command }) => command.creation);
  const projects = new Set(all.flatMap(({ tasks }) => tasks.map((task) => task.project_id)));
  const { now, version, settings } = await settingsOf(cache, org_id, projects);
  const { registry } = cache;
  const creations = new Creations({ org_id, registry, now, settings });
  const rows: (NewTaskRow & { at: number })[] = [];
  const answers = new Map<number, CreatedTasks>();
  for (const [at, creation] of all.entries()) {
    if (creation.tasks.some(({ lifecycle }) => lifecycle.creation.facts !== undefined)) continue;
    const drafted = creations.draft(creation);
    if (isRefusal(drafted) || !drafted.every(isSimple)) continue;
    const answer = creations.decide(creation, drafted);
    if (answer instanceof Retry || isRefusal(answer) || answer.made !== undefined) continue;
    answers.set(at, answer);
    const { fingerprint } = creation;
    const record = fingerprint === null ? null : { fingerprint, answer: create.stored(answer) };
    for (const [index, row] of creations.takeRows().entries())
      rows.push({ ...row, at, record: index === 0 ? record : null });
  }
  if (rows.length === 0) return outcomes;
  const { text, params } = saveCreations({ org_id, now, rows, settings_version: version });
  const written = await queryCells<CreatedCells>(cache.sql, text, params);
  if (written.length === 0) cache.settings.delete(org_id);
  for (const [n, clock] of written) {
    const { at, lifecycle, task } = rows[n - 1] as NewTaskRow & { at: number };
    cache.clock.set(clock);
    arrivals.addPooled(lifecycle, task);
    outcomes[at] = answers.get(at) as CreatedTasks;
  }
  return outcomes;
}

async function settingsOf(
  { sql, settings, clock }: NodeCache,
  org_id: string,
  projects: ReadonlySet<string>,
): Promise<{ now: Instant; version: number; settings: ReadonlyMap<string, string> }> {
  const cached = settings.get(org_id);
  const now = clock.now();
  if (cached && now !== null && [...projects].every((id) => cached.projects.has(id)))
    return { now, version: cached.version, settings: cached.projects };
  const read = await readProjects(sql, org_id, [...projects]);
  clock.set(read.now);
  for (const [id, text] of read.settings) settings.set(org_id, read.version, id, text);
  return read;
}
