import { decide, isRefusal } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import type { FreedTasks } from "./freed.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { isUuid } from "../../std/uuid.ts";
import { readProjects } from "../sql/read-projects.ts";
import { saveCreations } from "../sql/save-creations.ts";
import type { CreatedCells, NewTaskRow } from "../sql/save-creations.ts";
import { saveMoves } from "../sql/save-moves.ts";
import type { WrittenCells } from "../sql/save-moves.ts";
import { queryCells } from "../transaction.ts";
import type { Runs } from "../transaction.ts";
import { Again } from "./command-queue.ts";
import type { Outcome } from "./command-queue.ts";
import * as create from "./create.ts";
import type { CreateAttempt } from "./create.ts";
import type { CreatedTasks } from "./creations.ts";
import { Creations, isSimple } from "./creations.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { finishes, unblockedBy } from "./follow-dependents.ts";
import { needBeats, NotKnown } from "./known-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import type { KnownSettings } from "./known-settings.ts";
import { look } from "./look.ts";
import { answerTo, meaningOf, stored, workFor } from "./perform.ts";
import type { PerformAttempt, PerformCommand, Performed } from "./perform.ts";
import { afterDecision, movedBy } from "./unit-of-work.ts";
import type { LoadedTask, Move } from "./work.ts";

/** A node's caches, and the client for statements that are their own transactions. */
export type Memory = {
  sql: Runs;
  registry: LifecycleRegistry;
  rows: KnownRows;
  settings: KnownSettings;
  clock: DatabaseClock;
};

/** Said of a command that needs more than one statement: it is carried out under locks. */
const LOCKED = new Again({ mode: "locked" });

/** A move that is written if its row is unchanged, and the answer for the caller. */
type Planned = { move: Move; answer: Performed };
type Plan = Planned & { at: number };

/**
 * Carries out commands without a lock and, where the rows are known, without a read: decides on what was last seen and writes
 * by one statement the rows that are unchanged. Refusals are based on a fresh read only.
 */
export async function performOptimistically(
  memory: Memory,
  org_id: string,
  attempts: readonly PerformAttempt[],
  freed: FreedTasks,
): Promise<Outcome<Performed | Refusal>[]> {
  const outcomes: Outcome<Performed | Refusal>[] = attempts.map(() => LOCKED);
  const commands = attempts.map(({ command }, at) => ({ command, at }));
  const now = memory.clock.now();
  const version = memory.settings.get(org_id)?.version ?? null;
  let plans: Plan[] = [];
  const unread: typeof commands = [];
  for (const { command, at } of commands) {
    const planned = now === null ? null : planOnKnown(memory, org_id, command, now);
    if (planned === null) unread.push({ command, at });
    else if ("move" in planned) plans.push({ at, ...planned });
  }
  let moment = now;
  let settings_version = version;
  if (unread.length > 0) {
    const read = await readAndPlan(memory, org_id, unread, now, outcomes);
    // Plans made with other settings are discarded and decided again.
    if (read.settings_version !== version) plans = [];
    plans.push(...read.plans);
    ({ moment, settings_version } = read);
  }
  if (plans.length === 0 || moment === null) return outcomes;
  // In one order: two nodes that write the same rows in others would wait for each other.
  plans.sort((one, other) => (one.move.after.id < other.move.after.id ? -1 : 1));
  const moves = plans.map(({ move }) => move);
  const { text, params } = saveMoves({ org_id, now: moment, moves, partly: true, settings_version });
  const written = await queryCells<WrittenCells>(memory.sql, text, params);
  for (const { move } of plans) memory.rows.delete(org_id, move.after.id);
  if (written.length === 0) memory.settings.delete(org_id);
  for (const [n, place, writer, clock] of written) {
    const { at, move, answer } = plans[n - 1] as Plan;
    const { lifecycle, awaited } = move.work;
    memory.clock.set(clock);
    memory.rows.set({ lifecycle, task: move.after, place, writer, awaited });
    freed.addPooled(lifecycle, move.after);
    outcomes[at] = answer;
  }
  return outcomes;
}

/** Null where the task is not known well enough to say yes. */
function planOnKnown(
  { rows, settings, registry }: Memory,
  org_id: string,
  command: PerformCommand,
  now: Instant,
): Planned | Again | null {
  const known = rows.get(org_id, command.request.task_id);
  const text = known && settings.get(org_id)?.projects.get(known.task.project_id);
  if (!known || text === undefined) return null;
  const loaded = { ...known, settings: registry.settingsFor(known.lifecycle, text) };
  try {
    const planned = plan(command, loaded, now);
    return isRefusal(planned) ? null : planned;
  } catch (error) {
    if (error instanceof NotKnown) return null;
    throw error;
  }
}

async function readAndPlan(
  memory: Memory,
  org_id: string,
  unread: readonly { command: PerformCommand; at: number }[],
  /** The moment that the rest of the batch was decided at; null where there is none yet. */
  estimate: Instant | null,
  outcomes: Outcome<Performed | Refusal>[],
): Promise<{ moment: Instant; settings_version: number; plans: Plan[] }> {
  const { sql, registry } = memory;
  const ids = unread.map(({ command }) => command.request.task_id).filter(isUuid);
  const keys = unread.flatMap(({ command }) => command.request.client_event_id ?? []);
  // One statement: what is refused because a twin of the request was first must be seen with the twin's key.
  const looked = await look(registry, sql, org_id, ids, keys);
  const { now, tasks, settings, settings_version, used } = looked;
  if (tasks.size > 0) memory.clock.set(now);
  for (const [project_id, text] of settings) memory.settings.set(org_id, settings_version, project_id, text);
  const moment = estimate ?? now;
  const plans: Plan[] = [];
  for (const { command, at } of unread) {
    const { task_id, client_event_id } = command.request;
    // Its key was used before: the answer is told again, or refused, in one place.
    if (client_event_id != null && (used.has(client_event_id) || tasks.size === 0)) continue;
    const planned = plan(command, tasks.get(task_id), moment);
    // An estimate of the time is behind: what it forbids may be allowed by now.
    const refused = isRefusal(planned) && moment < now ? plan(command, tasks.get(task_id), now) : planned;
    if (isRefusal(refused)) outcomes[at] = refused;
    else if ("move" in planned) plans.push({ at, ...planned });
  }
  return { moment, settings_version, plans };
}

/** Decides a command: a move that one statement can write, a refusal, or `Again` if it needs locks. */
function plan(
  command: PerformCommand,
  loaded: LoadedTask | undefined,
  now: Instant,
): Planned | Refusal | Again {
  const work = workFor(command, loaded);
  if (isRefusal(work)) return work;
  const { lifecycle, task, actor, settings, awaited } = work;
  if (task.updated_at > now) return LOCKED;
  if ((lifecycle.actions[work.command.action]?.facts ?? []).length > 0) return LOCKED;
  const decision = decide(lifecycle, { task, actor, facts: {}, settings, now }, work.command);
  if (isRefusal(decision)) return decision;
  if (decision.kind !== "moved" || decision.effects.length > 0) return LOCKED;
  if (decision.patch.exclusive_key !== undefined) return LOCKED;
  // The lease stays, and with it the heartbeats beside the row: what is told of them must be read.
  if (decision.lease === "keep" && task.lease !== null) needBeats(task.lease);
  const after = afterDecision(work, decision, now);
  if (awaited && finishes({ work, after })) return LOCKED;
  if (unblockedBy({ lifecycle, task: after }) !== null) return LOCKED;
  const answer = answerTo(movedBy(work, decision, after, null)) as Performed;
  const keyed = command.request.client_event_id != null;
  const record = keyed ? { fingerprint: meaningOf(command, work.command), answer: stored(answer) } : null;
  return { move: { work, decision, after, stale: false, made: null, record }, answer };
}

/** Creates tasks by one statement, with settings that are known, where they need nothing but their rows. */
export async function createOptimistically(
  memory: Memory,
  org_id: string,
  attempts: readonly CreateAttempt[],
  freed: FreedTasks,
): Promise<Outcome<CreatedTasks | Refusal>[]> {
  const outcomes: Outcome<CreatedTasks | Refusal>[] = attempts.map(() => LOCKED);
  const all = attempts.map(({ command }) => command.creation);
  const projects = new Set(all.flatMap(({ tasks }) => tasks.map((task) => task.project_id)));
  const { now, version, settings } = await settingsOf(memory, org_id, projects);
  const { registry } = memory;
  const creations = new Creations({ org_id, registry, now, settings });
  const rows: (NewTaskRow & { at: number })[] = [];
  const answers = new Map<number, CreatedTasks>();
  for (const [at, creation] of all.entries()) {
    if (creation.tasks.some(({ lifecycle }) => lifecycle.creation.facts !== undefined)) continue;
    const drafted = creations.draft(creation);
    if (isRefusal(drafted) || !drafted.every(isSimple)) continue;
    const answer = creations.decide(creation, drafted);
    if (answer instanceof Again || isRefusal(answer) || answer.made !== undefined) continue;
    answers.set(at, answer);
    const { print } = creation;
    const record = print === null ? null : { fingerprint: print, answer: create.stored(answer) };
    for (const [index, row] of creations.takeRows().entries())
      rows.push({ ...row, at, record: index === 0 ? record : null });
  }
  if (rows.length === 0) return outcomes;
  const { text, params } = saveCreations({ org_id, now, rows, settings_version: version });
  const written = await queryCells<CreatedCells>(memory.sql, text, params);
  if (written.length === 0) memory.settings.delete(org_id);
  for (const [n, clock] of written) {
    const { at, lifecycle, task } = rows[n - 1] as NewTaskRow & { at: number };
    memory.clock.set(clock);
    freed.addPooled(lifecycle, task);
    outcomes[at] = answers.get(at) as CreatedTasks;
  }
  return outcomes;
}

async function settingsOf(
  { sql, settings, clock }: Memory,
  org_id: string,
  projects: ReadonlySet<string>,
): Promise<{ now: Instant; version: number; settings: ReadonlyMap<string, string> }> {
  const known = settings.get(org_id);
  const now = clock.now();
  if (known && now !== null && [...projects].every((id) => known.projects.has(id)))
    return { now, version: known.version, settings: known.projects };
  const read = await readProjects(sql, org_id, [...projects]);
  clock.set(read.now);
  for (const [id, text] of read.settings) settings.set(org_id, read.version, id, text);
  return read;
}
