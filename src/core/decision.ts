import type { AnyProblemCode } from "./problems.ts";
import type { DueTimer, JsonObject, Patch } from "./task.ts";

/** A "no" with a code. Returned as a value, never thrown. */
export type Refusal = { kind: "refused"; code: AnyProblemCode; detail: string; params: JsonObject };

/** Something a rule does beyond the task's own row. The engine runs it in the same transaction, batched by kind. */
export type SideEffect = { kind: string } & JsonObject;

/** A task's timer after a decision: a new one, none (null), or the current one ("keep"). */
export type TimerChange = DueTimer | null | "keep";

/** A claim opens a lease (the engine generates its token); leaving the leased statuses closes it. */
export type LeaseChange = "open" | "close" | "keep";

/** Adds one to the version and one row to the journal, both with the situation's time. The status may stay the same. */
export type Moved = {
  kind: "moved";
  to: string;
  patch: Readonly<Patch>;
  timer: TimerChange;
  lease: LeaseChange;
  effects: readonly SideEffect[];
  event: Readonly<{
    type: string;
    action: string;
    from: string;
    to: string;
    comment: string | null;
    /** Replaces the input in the journal. */
    payload?: JsonObject;
  }>;
};

/** Changes only timers, lease, counters or updated_at: no new version, no event. */
export type Touched = { kind: "touched"; patch: Readonly<Patch>; timer: TimerChange; lease: LeaseChange };

/** Accepted; nothing changes and nothing is published. */
export type Absorbed = { kind: "absorbed" };

export type Decision = Moved | Touched | Absorbed | Refusal;

export function refuse(code: AnyProblemCode, detail: string, params: JsonObject = {}): Refusal {
  return { kind: "refused", code, detail, params };
}

/** Checks whether a value is a refusal. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refused";
}
