import { randomUUID } from "node:crypto";
import { apply, decide, durationMs, REMOVE_TASK, SYSTEM } from "../core/index.ts";
import type { Actor, Instant, JsonObject, Lease, Lifecycle, Moved, Task, Touched } from "../core/index.ts";
import { noteFreed } from "./freed.ts";
import { removeTasks } from "./statements/remove-tasks.ts";
import { forgetBeats } from "./statements/save-leases.ts";
import { saveMoves } from "./statements/save-moves.ts";
import { saveTouches } from "./statements/save-touches.ts";
import { payloadOf } from "./task-row.ts";
import { mustHold } from "./transaction.ts";
import type { Tx } from "./transaction.ts";
import type { JournalEntry, Locked, Move, Settled, Work } from "./work.ts";

/** What a transaction has decided so far: a later decision sees what an earlier one has made of a task. */
export class Ledger {
  readonly org_id: string;
  readonly now: Instant;
  /** Every task that was touched, as it now stands. */
  readonly tasks = new Map<string, Locked>();
  /** Tasks with a change that no move carries. */
  private readonly touched = new Set<string>();
  private readonly exclusiveKeys = new Set<string>();
  /** Tasks whose lease is over, and for whom hearts have beaten. */
  private readonly outlived = new Set<string>();
  private readonly removed = new Set<string>();
  /** At most one move a task in each round: the moves that follow from one round are the next. */
  private round: Move[] = [];
  private readonly inRound = new Set<string>();
  /** What the system has to say to tasks that move in this round already. */
  private owed: [id: string, action: string, input: JsonObject][] = [];

  constructor(org_id: string, now: Instant) {
    this.org_id = org_id;
    this.now = now;
  }

  decide(work: Work): Settled {
    const { lifecycle, task, actor, command, settings, facts } = work;
    const decision = decide(lifecycle, { task, actor, facts, settings, now: this.now }, command);
    if (decision.kind === "refused") return decision;
    if (decision.kind === "absorbed") return { kind: "absorbed", task };
    const key = decision.patch.exclusive_key;
    // Somebody in this very transaction has just taken the key: the next one will see that, and say why not.
    if (key != null && key !== task.exclusive_key && this.exclusiveKeys.has(key)) return { kind: "deferred" };
    if (key != null) this.exclusiveKeys.add(key);
    if (decision.kind === "moved") {
      const { after, made } = this.record(work, decision);
      const lease_token = decision.lease === "open" ? (after.lease?.token ?? null) : null;
      return { kind: "moved", task: after, event: entryOf(work, decision, after), lease_token, made };
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
    const move = { work, decision, after, stale, made: effects.length === 0 ? null : {} };
    if (effects.some(({ kind }) => kind === REMOVE_TASK)) this.removed.add(after.id);
    this.round.push(move);
    this.inRound.add(after.id);
    return move;
  }

  private keep(work: Work, decision: Moved | Touched): Task {
    const { lifecycle, settings, hasDependents, hasHeartbeat } = work;
    const task = this.applied(work, decision);
    const place = decision.kind === "moved" ? null : work.place;
    this.tasks.set(task.id, { lifecycle, task, place, writer: null, settings, hasDependents, hasHeartbeat });
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
    const command = { action, input, comment: null, expected_row_version: null, lease_token: null };
    this.decide({ ...known, actor: SYSTEM, command, facts: {}, client_event_id: null });
  }

  /** Counters changed without a move. */
  touch(
    id: string,
    change: Partial<Pick<Task, "open_blockers" | "open_holds" | "due_at" | "due_action">>,
  ): void {
    const known = this.tasks.get(id);
    if (!known) return;
    known.task = { ...known.task, ...change };
    this.touched.add(id);
  }

  /** The moves decided since the last call; those that follow from them come with the next. */
  takeRound(): Move[] {
    const moves = this.round;
    this.round = [];
    this.inRound.clear();
    const { owed } = this;
    this.owed = [];
    for (const said of owed) this.decideAsSystem(...said);
    return moves;
  }

  /** Writes everything down. The moves are last but for counters, which go over what the moves have written. */
  write(tx: Tx, rounds: readonly (readonly Move[])[]): void {
    forgetBeats(tx, this.org_id, [...this.outlived]);
    for (const moves of rounds) {
      for (const some of slices(moves)) saveMoves(tx, this.org_id, some, this.now);
    }
    if (this.touched.size > 0) mustHold(tx);
    for (const ids of slices([...this.touched])) {
      saveTouches(
        tx,
        this.org_id,
        ids.flatMap((id) => this.tasks.get(id)?.task ?? []),
      );
    }
    removeTasks(tx, this.org_id, [...this.removed]);
    for (const { lifecycle, task } of this.tasks.values()) noteFreed(tx, lifecycle, task);
  }

  private applied({ lifecycle, task, actor, settings, hasHeartbeat }: Work, decision: Moved | Touched): Task {
    const opened = decision.lease === "open" ? newLease(lifecycle, actor, settings, this.now) : null;
    if (hasHeartbeat && decision.lease !== "keep") this.outlived.add(task.id);
    return apply(task, decision, this.now, opened);
  }
}

/** A statement joins its rows to their ids; for thousands at once the database may choose to compare all with all. */
function slices<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / 500);
  return Array.from({ length: count }, (_, n) => items.slice(n * 500, (n + 1) * 500));
}

function newLease(lifecycle: Lifecycle, actor: Actor, settings: JsonObject, now: Instant): Lease {
  const lasts = lifecycle.lease === null ? 0 : durationMs(lifecycle.lease.lasts, settings);
  return { token: randomUUID(), holder: actor.id ?? "system", until: now + lasts, heartbeat_at: now };
}

function entryOf(work: Work, { event }: Moved, after: Task): JournalEntry {
  return {
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
}
