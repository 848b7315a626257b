import type { Actor, Instant, JsonObject, Task } from "../core/index.ts";
import type { Tx } from "./transaction.ts";

/** What a fact is asked for: one command on one task. */
type Ask = { task: Task; actor: Actor; input: JsonObject };

/** Loads one fact for many asks at once; the answers stand in the order of the asks. */
export type FactLoader = (tx: Tx, org_id: string, asks: readonly Ask[]) => Promise<unknown[]>;

/** What a fact is asked for before there is a task: one creation. */
export type CreationAsk = { project_id: string; actor: Actor; input: JsonObject };

/** Loads one fact for many creations at once; the answers stand in the order of the asks. */
export type CreationFactLoader = (tx: Tx, org_id: string, asks: readonly CreationAsk[]) => Promise<unknown[]>;

/** One thing to be done beyond a task's row. */
export type EffectItem = { org_id: string; task: Task; actor: Actor; effect: JsonObject };

/** Does one kind of side effect for a whole batch, in its transaction. */
export type EffectHandler = (tx: Tx, items: readonly EffectItem[], now: Instant) => Promise<void>;

/** What a lifecycle brings for the engine beside its definition. */
export type LifecycleParts = {
  /** Where the migrations of its own tables are; their numbers are of the one sequence that all of Pawl has. */
  migrations?: URL;
  facts?: Record<string, FactLoader>;
  creation_facts?: Record<string, CreationFactLoader>;
  effects?: Record<string, EffectHandler>;
};
