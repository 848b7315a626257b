import { randomUUID } from "node:crypto";
import {
  apply,
  decide,
  durationMs,
  isRefusal,
  REMOVE_TASK,
  SYSTEM,
  timerAfterBlockers,
} from "../../core/index.ts";
import type { Actor, Instant, JsonObject, Lease, Lifecycle, Moved, Task, Touched } from "../../core/index.ts";
import type { PoolArrivals } from "./pool-arrivals.ts";
import type { CreateTasks } from "../engine-plugin.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { findExisting, lockTasks } from "../sql/lock-tasks.ts";
import { readTaskContext } from "../sql/read-task-context.ts";
import { removeTasks } from "../sql/remove-tasks.ts";
import { saveMoves } from "../sql/save-moves.ts";
import { saveTouches } from "../sql/save-touches.ts";
import type { Write } from "../sql/statement.ts";
import { taskOfCells } from "../sql/task-columns.ts";
import type { TaskCells } from "../sql/task-columns.ts";
import { payloadOf } from "../task-row.ts";
import type { SentWrites, Tx } from "../transaction.ts";
import { followDependents } from "./follow-dependents.ts";
import { RowsBusy } from "./rows-busy.ts";
import { systemCommand } from "./work.ts";
import type { JournalEntry, LoadedTask, Move, CommandResult, Work } from "./work.ts";

type UnitOptions = {
  tx: Tx;
  writes: SentWrites;
  org_id: string;
  registry: LifecycleRegistry;
  /** Collects the tasks that enter pools. */
  arrivals: PoolArrivals;
  /** Creates the tasks that side effects request, in this unit. */
  makeTasksIn: (unit: UnitOfWork) => CreateTasks;
};

/**
 * One transaction on locked tasks of one org: load, decide, write. Each decision sees the results of the ones before it. The
 * caller commits.
 */
export class UnitOfWork {
  readonly tx: Tx;
  readonly org_id: string;
  readonly registry: LifecycleRegistry;
  readonly arrivals: PoolArrivals;
  /** The database's clock, read after the locks. */
  now: Instant = 0;
  /** All loaded tasks in their current state. */
  readonly tasks = new Map<string, LoadedTask>();
  private readonly writes: SentWrites;
  private readonly makeTasks: CreateTasks;
  /** Tasks with changes that are not part of a move. */
  private readonly touched = new Set<string>();
  private readonly exclusiveKeys = new Set<string>();
  private readonly removed = new Set<string>();
  /** At most one move per task in each round; the moves that follow from a round form the next one. */
  private round: Move[] = [];
  private readonly rounds: Move[][] = [];
  private readonly inRound = new Set<string>();
  /** System commands that wait for the next round, because their tasks have already moved in this one. */
  private postponed: [id: string, action: string, input: JsonObject][] = [];

  constructor({ tx, writes, org_id, registry, arrivals, makeTasksIn }: UnitOptions) {
    this.tx = tx;
    this.writes = writes;
    this.org_id = org_id;
    this.registry = registry;
    this.arrivals = arrivals;
    this.makeTasks = makeTasksIn(this);
  }

  /** Sends a write without waiting for its result; the commit waits for it. */
  send(write: Write): void {
    this.writes.send(write);
  }

  /**
   * Locks and loads tasks; leaves out tasks that do not exist or whose lifecycle is unknown. Returns the ids that other
   * transactions have locked.
   */
  async lock(ids: readonly string[]): Promise<ReadonlySet<string>> {
    // Sent together, run in this order: heartbeats and settings are read after the tasks are locked.
    const [rows, context] = await Promise.all([
      lockTasks(this.tx, this.org_id, ids),
      readTaskContext(this.tx, this.org_id, ids),
    ]);
    this.add(rows, context);
    if (rows.length === ids.length) return NONE;
    const locked = new Set(rows.map(([id]) => id));
    const left = ids.filter((id) => !locked.has(id));
    return new Set(await findExisting(this.tx, this.org_id, left));
  }

  /** Locks and loads tasks; throws RowsBusy if another transaction has locked one of them. */
  async lockAll(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.tasks.has(id));
    if (unknown.length === 0) return;
    const busy = await this.lock(unknown);
    if (busy.size > 0) throw new RowsBusy();
  }

  /** Loads rows that a statement has already locked, in their order. */
  async take(rows: readonly TaskCells[]): Promise<LoadedTask[]> {
    const ids = rows.map(([id]) => id);
    this.add(rows, await readTaskContext(this.tx, this.org_id, ids));
    return ids.flatMap((id) => this.tasks.get(id) ?? []);
  }

  private add(rows: readonly TaskCells[], context: Awaited<ReturnType<typeof readTaskContext>>): void {
    // The whole unit happens at the moment of its first load.
    this.now ||= context.now;
    for (const cells of rows) {
      const [id, ctid, xmin, name] = cells;
      const lifecycle = this.registry.lifecycles.get(name);
      if (!lifecycle) continue;
      const task = taskOfCells(this.org_id, cells, context.beats.get(id));
      const settings = this.registry.settingsFor(lifecycle, context.settings[task.project_id]);
      this.tasks.set(id, { lifecycle, task, ctid, xmin, settings, awaited: cells[29] ?? false });
    }
  }

  /** Decides a command and records its move or touch. */
  decide(work: Work): CommandResult {
    const { lifecycle, task, actor, command, settings, facts } = work;
    const decision = decide(lifecycle, { task, actor, facts, settings, now: this.now }, command);
    if (isRefusal(decision)) return decision;
    if (decision.kind === "absorbed") return { kind: "absorbed", task };
    const key = decision.patch.exclusive_key;
    // Another command in this transaction has just taken the key. The next transaction sees that and refuses with the reason.
    if (key != null && key !== task.exclusive_key && this.exclusiveKeys.has(key)) return { kind: "deferred" };
    if (key != null) this.exclusiveKeys.add(key);
    if (decision.kind === "moved") {
      const { after, made } = this.record(work, decision);
      return movedBy(work, decision, after, made);
    }
    this.touched.add(task.id);
    return { kind: "touched", task: this.keep(work, decision) };
  }

  /** Records a move that was decided by a rule or by a new version of the lifecycle. */
  record(work: Work, decision: Moved): Move {
    const after = this.keep(work, decision);
    // The move also writes what was touched.
    const stale = this.touched.delete(after.id);
    const { effects } = decision;
    const made = effects.length === 0 ? null : {};
    const move = { work, decision, after, stale, made, record: null, entry: null };
    if (effects.some(({ kind }) => kind === REMOVE_TASK)) this.removed.add(after.id);
    this.round.push(move);
    this.inRound.add(after.id);
    return move;
  }

  private keep(work: Work, decision: Moved | Touched): Task {
    const { lifecycle, settings, awaited } = work;
    const task = afterDecision(work, decision, this.now);
    const { ctid, xmin } = decision.kind === "moved" ? { ctid: null, xmin: null } : work;
    this.tasks.set(task.id, { lifecycle, task, ctid, xmin, settings, awaited });
    return task;
  }

  /** Moves a task as the system, if the rules allow it. */
  decideAsSystem(id: string, action: string, input: JsonObject = {}): void {
    const known = this.tasks.get(id);
    if (!known || this.removed.has(id)) return;
    if (this.inRound.has(id)) {
      this.postponed.push([id, action, input]);
      return;
    }
    const command = systemCommand(action, input);
    this.decide({ ...known, actor: SYSTEM, command, facts: {}, client_event_id: null });
  }

  /** Changes counters or the timer without a move. */
  touch(
    id: string,
    change: Partial<Pick<Task, "open_blockers" | "open_holds" | "due_at" | "due_action" | "updated_at">>,
  ): void {
    const known = this.tasks.get(id);
    if (!known) return;
    const waited = known.task.open_blockers > 0;
    known.task = { ...known.task, ...change };
    this.touched.add(id);
    if (waited && known.task.open_blockers === 0) this.startTimer(id);
  }

  /** Starts a timer that has waited for the task's blockers. */
  startTimer(id: string): void {
    const known = this.tasks.get(id);
    if (!known) return;
    const { lifecycle, task, settings } = known;
    const timers = lifecycle.statuses[task.status]?.timers ?? [];
    const timer = timerAfterBlockers(timers, task, settings, this.now);
    if (timer) this.touch(id, timer);
  }

  /**
   * Runs side effects and moves dependents, round after round, until nothing more follows from the decisions. Returns the number
   * of rounds.
   */
  async settle(): Promise<number> {
    for (let moves = this.takeRound(); moves.length > 0; moves = this.takeRound()) {
      this.rounds.push(moves);
      await this.runEffects(moves);
      await followDependents(this, moves);
    }
    for (const { lifecycle, task } of this.tasks.values()) this.arrivals.addPooled(lifecycle, task);
    return this.rounds.length;
  }

  /**
   * Sends the writes of all moves and touches. Moves come last because they lock the org's row. Only idempotency records follow, as
   * in the optimistic statements: inserting a key before locking the org's row could deadlock with those.
   */
  write(): void {
    const moved = new Set(this.rounds.flat().map(({ after }) => after.id));
    const touched = [...this.touched];
    this.sendTouches(touched.filter((id) => !moved.has(id)));
    for (const moves of this.rounds.flatMap(slices)) this.send(this.movesOf(moves));
    // Counters that changed after a move overwrite the values that the move wrote.
    this.sendTouches(touched.filter((id) => moved.has(id)));
    if (this.removed.size > 0) this.send(removeTasks(this.org_id, [...this.removed]));
  }

  private sendTouches(touched: readonly string[]): void {
    for (const ids of slices(touched)) {
      const tasks = ids.flatMap((id) => this.tasks.get(id)?.task ?? []);
      this.send(saveTouches(this.org_id, tasks));
    }
  }

  private movesOf(moves: readonly Move[]): Write {
    const { org_id, now } = this;
    return saveMoves({ org_id, now, moves, partly: false, settings_version: null });
  }

  /** Returns the moves decided since the last call, then decides the postponed commands, which belong to the next round. */
  private takeRound(): Move[] {
    const moves = this.round;
    this.round = [];
    this.inRound.clear();
    const { postponed } = this;
    this.postponed = [];
    for (const command of postponed) this.decideAsSystem(...command);
    return moves;
  }

  private async runEffects(moves: readonly Move[]): Promise<void> {
    const requests = moves.flatMap(
      ({ work: { lifecycle, actor }, after: task, decision: { effects }, made }) =>
        made === null ? [] : [{ lifecycle, actor, task, effects, made }],
    );
    if (requests.length > 0) await this.registry.runEffects(this.tx, requests, this.now, this.makeTasks);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the task after a decision. */
export function afterDecision(
  { lifecycle, task, actor, settings }: Work,
  decision: Moved | Touched,
  now: Instant,
): Task {
  const opened = decision.lease === "open" ? newLease(lifecycle, actor, settings, now) : null;
  return apply(task, decision, now, opened);
}

/** Builds the result of a move. */
export function movedBy(
  work: Work,
  { event, lease }: Moved,
  after: Task,
  made: JsonObject | null,
): Extract<CommandResult, { kind: "moved" }> {
  const lease_token = lease === "open" ? (after.lease?.token ?? null) : null;
  const entry: JournalEntry = {
    id: `${after.id}.${after.row_version}`,
    task_id: after.id,
    row_version: after.row_version,
    type: event.type,
    action: event.action,
    from_status: event.from,
    to_status: event.to,
    actor_id: work.actor.id,
    comment: event.comment,
    payload: payloadOf(work.command, event),
    created_at: after.updated_at,
  };
  return { kind: "moved", task: after, event: entry, lease_token, made };
}

export function newLease(lifecycle: Lifecycle, actor: Actor, settings: JsonObject, now: Instant): Lease {
  const lasts = lifecycle.lease === null ? 0 : durationMs(lifecycle.lease.lasts, settings);
  return { token: randomUUID(), holder: actor.id ?? "system", until: now + lasts, heartbeat_at: now };
}

/** Splits a list: a statement joins its rows by id, and for thousands of them the database may compare every row with every id. */
function slices<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / 500);
  return Array.from({ length: count }, (_, n) => items.slice(n * 500, (n + 1) * 500));
}
