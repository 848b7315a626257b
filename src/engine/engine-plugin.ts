import type { Actor, Instant, JsonObject, Lifecycle, Refusal, Request, Task } from "../core/index.ts";
import type { NewTask } from "./write/admit-creations.ts";
import type { PublicTask } from "./read/public-task.ts";
import type { Tx } from "./transaction.ts";

/** One command on one task, for which a fact is loaded. */
type FactRequest<T = Task, Input = JsonObject> = { task: T; actor: Actor; input: Input };

/** Loads one fact for many commands at once; the answers are in the order of the requests. */
export type FactLoader<Answer = unknown, T = Task, Input = JsonObject> = (
  tx: Tx,
  org_id: string,
  requests: readonly FactRequest<T, Input>[],
) => Promise<Answer[]>;

/** One creation, for which a fact is loaded before the task exists. */
export type CreationFactRequest<Input = JsonObject> = {
  project_id: string;
  actor: Actor;
  input: Input;
  /** ref → id of the other tasks in the same request. */
  refs: ReadonlyMap<string, string>;
};

/** Loads one fact for many creations at once; the answers are in the order of the requests. */
export type CreationFactLoader<Answer = unknown, Input = JsonObject> = (
  tx: Tx,
  org_id: string,
  requests: readonly CreationFactRequest<Input>[],
) => Promise<Answer[]>;

/** One side effect of one move or creation. */
export type EffectItem<T = Task> = { org_id: string; task: T; actor: Actor; effect: JsonObject };

/** Creates tasks in the transaction of a move; a refusal is thrown, and undoes the move as well. */
export type MakeTasks = (
  actor: Actor,
  tasks: readonly NewTask[],
) => Promise<{ tasks: PublicTask[]; made: (JsonObject | null)[] }>;

/**
 * Carries out one kind of side effect for a whole batch, in its transaction. If it returns a list, in the order of the items,
 * each caller gets its item in the answer, and again when the same command is repeated with its key.
 */
export type EffectHandler<T = Task> = (
  tx: Tx,
  items: readonly EffectItem<T>[],
  now: Instant,
  makeTasks: MakeTasks,
) => Promise<unknown>;

/** Passed to a plugin's sweep. */
export type SweepTools = {
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Performs as the system. */
  perform: (
    org_id: string,
    request: Request & { task_id: string },
  ) => Promise<{ kind: "performed"; outcome: string } | Refusal>;
};

/** Selects rows from before a time, oldest first; `below` is the first possible id of that time, for ids ordered by time. */
export type OldRows = { before: Instant; below: string; limit: number };

/** A plugin's part in retention. */
export type PluginPrune = {
  /** Selects the finished tasks that must stay because something unfinished needs them. */
  keep?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<readonly string[]>;
  /** Deletes the plugin's rows of tasks that were deleted. */
  removeOfTasks?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<void>;
  /** Deletes at most `limit` old rows that belong to no task; returns how many it deleted. */
  removeOld?: (tx: Tx, org_id: string, old: OldRows) => Promise<number>;
};

/** A plugin's part in the sweep. */
export type PluginSweep = {
  /** Runs on every node at every sweep, beside the timers: the lifecycle's rules make sure that nothing happens twice. */
  run?: (tools: SweepTools) => Promise<void>;
};

/** A lifecycle with the parts of its plugin that the engine uses. */
export type EnginePlugin = {
  lifecycle: Lifecycle;
  facts?: Readonly<Record<string, FactLoader>>;
  creationFacts?: Readonly<Record<string, CreationFactLoader>>;
  effects?: Readonly<Record<string, EffectHandler>>;
  prune?: PluginPrune;
  sweep?: PluginSweep;
};
