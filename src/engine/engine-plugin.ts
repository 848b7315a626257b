import type { Actor, Instant, JsonObject, Lifecycle, Refusal, Request, Task } from "../core/index.ts";
import type { NewTask } from "./write/validate-creations.ts";
import type { PublicTask } from "./read/public-task.ts";
import type { Tx } from "./transaction.ts";

/** One command on one task, for which a fact is loaded. */
type FactRequest<T = Task, Input = JsonObject> = { task: T; actor: Actor; input: Input };

/** Loads one fact for a batch of commands of one org; returns one value per request, in the same order. */
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

/** Loads one fact for a batch of creations of one org; returns one value per request, in the same order. */
export type CreationFactLoader<Answer = unknown, Input = JsonObject> = (
  tx: Tx,
  org_id: string,
  requests: readonly CreationFactRequest<Input>[],
) => Promise<Answer[]>;

/** One side effect of one move or creation; `effect` is an object that `side_effects` returned. */
export type EffectItem<T = Task> = { org_id: string; task: T; actor: Actor; effect: JsonObject };

/** Creates tasks in the transaction of a move. Throws a refusal, which also rolls back the move. */
export type CreateTasks = (
  actor: Actor,
  tasks: readonly NewTask[],
) => Promise<{ tasks: PublicTask[]; made: (JsonObject | null)[] }>;

/**
 * Carries out one kind of side effect for a batch of moves of one org, in their transaction. It may return a list in the order of
 * the items: each caller then gets its element in `made` of the answer, also if the request is repeated with its key.
 */
export type EffectHandler<T = Task> = (
  tx: Tx,
  items: readonly EffectItem<T>[],
  now: Instant,
  makeTasks: CreateTasks,
) => Promise<unknown>;

/** The argument of a plugin's `sweep.run`. */
export type SweepTools = {
  /** Runs work in a transaction. */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Performs an action as the system; returns a refusal as a value. */
  perform: (
    org_id: string,
    request: Request & { task_id: string },
  ) => Promise<{ kind: "performed"; outcome: string } | Refusal>;
};

/** The rows that `removeOld` deletes: at most `limit` from before a time. Their UUIDv7 ids are smaller than `below`, for a search by id. */
export type OldRows = { before: Instant; below: string; limit: number };

/** A plugin's part in retention. */
export type PluginPrune = {
  /** Returns those of the lifecycle's finished tasks that must not be deleted yet. */
  keep?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<readonly string[]>;
  /** Deletes the plugin's rows of deleted tasks, in the same transaction. */
  removeOfTasks?: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<void>;
  /** Deletes at most `limit` old rows that belong to no task; returns how many it deleted. */
  removeOld?: (tx: Tx, org_id: string, old: OldRows) => Promise<number>;
};

/** A plugin's part in the sweep. */
export type PluginSweep = {
  /** Runs on every node at every sweep. Several nodes may run it at the same time, so the lifecycle's guards must refuse a second move. */
  run?: (tools: SweepTools) => Promise<void>;
};

/** One value of a gauge, with a value for each of its labels. */
export type GaugeSample = { labels: Readonly<Record<string, string>>; value: number };

/** A gauge of a plugin on `GET /metrics`. It covers all orgs. */
export type PluginGauge = {
  help: string;
  labels: readonly string[];
  /** Reads the values at each request, so it must be cheap. */
  read: (tx: Tx) => Promise<readonly GaugeSample[]>;
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
