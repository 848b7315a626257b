import type { AnyProblemCode } from "./problems.ts";
import type { JsonObject, Patch } from "./task.ts";

/** A "no" with a code, as a value: never thrown for what a caller may ask. */
export type Refusal = { kind: "refused"; code: AnyProblemCode; detail: string; params: JsonObject };

/** Something a rule does beyond the task's own row; the engine carries it out in the same transaction, batched by kind. */
export type SideEffect = { kind: string } & JsonObject;

/** The version grows by one and the journal by one row; the status may stay the same. */
export type Moved = {
  kind: "moved";
  to: string;
  patch: Patch;
  effects: SideEffect[];
  event: { type: string; action: string; from: string; to: string; comment: string | null };
};

/** Only timers, lease, counters or updated_at change: no version, no event. */
export type Touched = { kind: "touched"; patch: Patch };

/** Accepted; nothing changes and nothing is published. */
export type Absorbed = { kind: "absorbed" };

export type Decision = Moved | Touched | Absorbed | Refusal;

export function refuse(code: AnyProblemCode, detail: string, params: JsonObject = {}): Refusal {
  return { kind: "refused", code, detail, params };
}
