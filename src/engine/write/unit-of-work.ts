import { randomUUID } from "node:crypto";
import { apply, decide, durationMs, isRefusal, REMOVE_TASK, SYSTEM } from "../../core/index.ts";
import type { Actor, Instant, JsonObject, Lease, Lifecycle, Moved, Task, Touched } from "../../core/index.ts";
import type { FreedTasks } from "./freed.ts";
import type { MakeTasks } from "../engine-plugin.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { findExisting, lockTasks } from "../sql/lock-tasks.ts";
import { readSurroundings } from "../sql/read-surroundings.ts";
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
import type { JournalEntry, LoadedTask, Move, Settled, Work } from "./work.ts";

/** Where a unit of work is done. */
export type UnitPlace = {
  tx: Tx;
  writes: SentWrites;
  org_id: string;
  registry: LifecycleRegistry;
  /** Is told which tasks came into pools. */
  freed: FreedTasks;
  /** Makes tasks that side effects ask for, in this unit. */
  makeTasksIn: (unit: UnitOfWork) => MakeTasks;
};

/**
 * One transaction on the tasks of one org, under their locks: load, decide, write. A later decision sees what an earlier
 * one has made of a task. The caller commits.
 */
export class UnitOfWork {
  readonly tx: Tx;
  readonly org_id: string;
  readonly registry: LifecycleRegistry;
  readonly freed: FreedTasks;
  /** The database's clock, read after the locks. */
  now: Instant = 0;
  /** Every task that was loaded, as it now stands. */
  readonly tasks = new Map<string, LoadedTask>();
  private readonly writes: SentWrites;
  private readonly makeTasks: MakeTasks;
  /** Tasks with a change that no move carries. */
  private readonly touched = new Set<string>();
  private readonly exclusiveKeys = new Set<string>();
  private readonly removed = new Set<string>();
  /** At most one move a task in each round: the moves that follow from one round are the next. */
  private round: Move[] = [];
  private readonly rounds: Move[][] = [];
  private readonly inRound = new Set<string>();
  /** System commands for tasks that have already moved in this round. */
  private owed: [id: string, action: string, input: JsonObject][] = [];

  constructor({ tx, writes, org_id, registry, freed, makeTasksIn }: UnitPlace) {
    this.tx = tx;
    this.writes = writes;
    this.org_id = org_id;
    this.registry = registry;
    this.freed = freed;
    this.makeTasks = makeTasksIn(this);
  }

  /** Sends a write that nobody waits for before the commit. */
  send(write: Write): void {
    this.writes.send(write);
  }

  /** Locks and loads tasks; those that do not exist, or are of no known lifecycle, are left out. Gives those that others have locked. */
  async lock(ids: readonly string[]): Promise<ReadonlySet<string>> {
    // Sent together, run one after the other: what lies beside the tasks is read under their locks.
    const [rows, around] = await Promise.all([
      lockTasks(this.tx, this.org_id, ids),
      readSurroundings(this.tx, this.org_id, ids),
    ]);
    this.add(rows, around);
    if (rows.length === ids.length) return NONE;
    const locked = new Set(rows.map(([id]) => id));
    const left = ids.filter((id) => !locked.has(id));
    return new Set(await findExisting(this.tx, this.org_id, left));
  }

  /** The same for tasks without which nothing can be done. */
  async lockAll(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.tasks.has(id));
    if (unknown.length === 0) return;
    const busy = await this.lock(unknown);
    if (busy.size > 0) throw new RowsBusy();
  }

  /** Loads rows that a statement has picked and locked, in their order. */
  async take(rows: readonly TaskCells[]): Promise<LoadedTask[]> {
    const ids = rows.map(([id]) => id);
    this.add(rows, await readSurroundings(this.tx, this.org_id, ids));
    return ids.flatMap((id) => this.tasks.get(id) ?? []);
  }

  private add(rows: readonly TaskCells[], around: Awaited<ReturnType<typeof readSurroundings>>): void {
    // The unit happens at one moment, that of its first load.
    this.now ||= around.now;
    for (const cells of rows) {
      const [id, place, writer, name] = cells;
      const lifecycle = this.registry.lifecycles.get(name);
      if (!lifecycle) continue;
      const task = taskOfCells(this.org_id, cells, around.beats.get(id));
      const settings = this.registry.settingsFor(lifecycle, around.settings[task.project_id]);
      this.tasks.set(id, { lifecycle, task, place, writer, settings, awaited: cells[29] ?? false });
    }
  }

  decide(work: Work): Settled {
    const { lifecycle, task, actor, command, settings, facts } = work;
    const decision = decide(lifecycle, { task, actor, facts, settings, now: this.now }, command);
    if (isRefusal(decision)) return decision;
    if (decision.kind === "absorbed") return { kind: "absorbed", task };
    const key = decision.patch.exclusive_key;
    // Somebody in this very transaction has just taken the key: the next one will see that, and say why not.
    if (key != null && key !== task.exclusive_key && this.exclusiveKeys.has(key)) return { kind: "deferred" };
    if (key != null) this.exclusiveKeys.add(key);
    if (decision.kind === "moved") {
      const { after, made } = this.record(work, decision);
      return movedBy(work, decision, after, made);
    }
    this.touched.add(task.id);
    return { kind: "touched", task: this.keep(work, decision) };
  }

  /** Takes a move down, whether a rule decided it or a new version of the lifecycle does. */
  record(work: Work, decision: Moved): Move {
    const after = this.keep(work, decision);
    // The move carries what was touched.
    const stale = this.touched.delete(after.id);
    const { effects } = decision;
    const move = { work, decision, after, stale, made: effects.length === 0 ? null : {}, record: null };
    if (effects.some(({ kind }) => kind === REMOVE_TASK)) this.removed.add(after.id);
    this.round.push(move);
    this.inRound.add(after.id);
    return move;
  }

  private keep(work: Work, decision: Moved | Touched): Task {
    const { lifecycle, settings, awaited } = work;
    const task = afterDecision(work, decision, this.now);
    const { place, writer } = decision.kind === "moved" ? { place: null, writer: null } : work;
    this.tasks.set(task.id, { lifecycle, task, place, writer, settings, awaited });
    return task;
  }

  /** A move of the system's own, where the rules have nothing against it. */
  decideAsSystem(id: string, action: string, input: JsonObject = {}): void {
    const known = this.tasks.get(id);
    if (!known || this.removed.has(id)) return;
    if (this.inRound.has(id)) {
      this.owed.push([id, action, input]);
      return;
    }
    const command = systemCommand(action, input);
    this.decide({ ...known, actor: SYSTEM, command, facts: {}, client_event_id: null });
  }

  /** Counters or timer changed without a move. */
  touch(
    id: string,
    change: Partial<Pick<Task, "open_blockers" | "open_holds" | "due_at" | "due_action">>,
  ): void {
    const known = this.tasks.get(id);
    if (!known) return;
    known.task = { ...known.task, ...change };
    this.touched.add(id);
  }

  /**
   * Round after round, until nothing more follows from what was decided: side effects, and moves of those who waited. Gives
   * the number of rounds.
   */
  async settle(): Promise<number> {
    for (let moves = this.takeRound(); moves.length > 0; moves = this.takeRound()) {
      this.rounds.push(moves);
      await this.runEffects(moves);
      await followDependents(this, moves);
    }
    for (const { lifecycle, task } of this.tasks.values()) this.freed.addPooled(lifecycle, task);
    return this.rounds.length;
  }

  /**
   * Writes the settled moves and touches. Moves come last because they lock the org's row. Only idempotency records follow, as in
   * the optimistic statements: inserting a key before locking the org's row could deadlock with those.
   */
  write(): void {
    const moved = new Set(this.rounds.flat().map(({ after }) => after.id));
    const touched = [...this.touched];
    this.sendTouches(touched.filter((id) => !moved.has(id)));
    for (const moves of this.rounds.flatMap(slices)) this.send(this.movesOf(moves));
    // Counters that have changed after a move of their task go over what it has written.
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

  /** The moves decided since the last call; those that follow from them come with the next. */
  private takeRound(): Move[] {
    const moves = this.round;
    this.round = [];
    this.inRound.clear();
    const { owed } = this;
    this.owed = [];
    for (const said of owed) this.decideAsSystem(...said);
    return moves;
  }

  private async runEffects(moves: readonly Move[]): Promise<void> {
    const asked = moves.flatMap(({ work: { lifecycle, actor }, after: task, decision: { effects }, made }) =>
      made === null ? [] : [{ lifecycle, actor, task, effects, made }],
    );
    if (asked.length > 0) await this.registry.runEffects(this.tx, asked, this.now, this.makeTasks);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The task as a decision leaves it. */
export function afterDecision(
  { lifecycle, task, actor, settings }: Work,
  decision: Moved | Touched,
  now: Instant,
): Task {
  const opened = decision.lease === "open" ? newLease(lifecycle, actor, settings, now) : null;
  return apply(task, decision, now, opened);
}

/** The result of a move. */
export function movedBy(
  work: Work,
  { event, lease }: Moved,
  after: Task,
  made: JsonObject | null,
): Extract<Settled, { kind: "moved" }> {
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
    payload: payloadOf(work.command),
    created_at: after.updated_at,
  };
  return { kind: "moved", task: after, event: entry, lease_token, made };
}

export function newLease(lifecycle: Lifecycle, actor: Actor, settings: JsonObject, now: Instant): Lease {
  const lasts = lifecycle.lease === null ? 0 : durationMs(lifecycle.lease.lasts, settings);
  return { token: randomUUID(), holder: actor.id ?? "system", until: now + lasts, heartbeat_at: now };
}

/** A statement joins its rows to their ids; for thousands at once the database may choose to compare all with all. */
function slices<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / 500);
  return Array.from({ length: count }, (_, n) => items.slice(n * 500, (n + 1) * 500));
}
