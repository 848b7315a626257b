import type { Actor, Instant, JsonObject, Refusal, Request, Task } from "../core/index.ts";
import type { NewTask } from "./write/admit-creations.ts";
import type { PublicTask } from "./read/public-task.ts";
import type { Tx } from "./transaction.ts";

/** What a fact is asked for: one command on one task. */
type Ask = { task: Task; actor: Actor; input: JsonObject };

/** Loads one fact for many asks at once; the answers stand in the order of the asks. */
export type FactLoader = (tx: Tx, org_id: string, asks: readonly Ask[]) => Promise<unknown[]>;

/** What a fact is asked for before there is a task: one creation. */
export type CreationAsk = {
  project_id: string;
  actor: Actor;
  input: JsonObject;
  /** ref → id, for what it names of the same request. */
  refs: ReadonlyMap<string, string>;
};

/** Loads one fact for many creations at once; the answers stand in the order of the asks. */
export type CreationFactLoader = (tx: Tx, org_id: string, asks: readonly CreationAsk[]) => Promise<unknown[]>;

/** One thing to be done beyond a task's row. */
export type EffectItem = { org_id: string; task: Task; actor: Actor; effect: JsonObject };

/** Makes tasks in the transaction of a move; a refusal is thrown, and undoes the move as well. */
export type MakeTasks = (
  actor: Actor,
  tasks: readonly NewTask[],
) => Promise<{ tasks: PublicTask[]; made: (JsonObject | null)[] }>;

/**
 * Does one kind of side effect for a whole batch, in its transaction. A list that it gives back, in the order of the items, is told
 * in the answer to each caller, and told again when he comes again with his key.
 */
export type EffectHandler = (
  tx: Tx,
  items: readonly EffectItem[],
  now: Instant,
  makeTasks: MakeTasks,
) => Promise<unknown>;

/** What a lifecycle's part of the sweep works with. */
export type SweepTools = {
  read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Performs as the system. */
  perform: (
    org_id: string,
    request: Request & { task_id: string },
  ) => Promise<{ kind: "performed"; outcome: string } | Refusal>;
};

/** From before a moment; and where ids are by age, below this one. */
export type Old = { before: Instant; below: string; limit: number };

/** What a lifecycle brings for the engine beside its definition. */
export type LifecycleParts = {
  /** Where the migrations of its own tables are; their numbers are of the one sequence that all of Pawl has. */
  migrations?: URL;
  facts?: Record<string, FactLoader>;
  creation_facts?: Record<string, CreationFactLoader>;
  effects?: Record<string, EffectHandler>;
  /** Selects the finished tasks that must not be pruned yet, because something unfinished needs them. */
  keeps?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<readonly string[]>;
  /** Deletes what it keeps beside tasks that are pruned. */
  forget?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<void>;
  /** Deletes what is old of what it keeps that is no task's, so much at most; says how much it was. */
  prune?: (tx: Tx, org_id: string, old: Old) => Promise<number>;
  /** What is to be looked after beside timers, on every node and at every sweep: the rules see to it that it happens once. */
  sweep?: (tools: SweepTools) => Promise<void>;
};
