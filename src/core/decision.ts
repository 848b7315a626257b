import type { AnyProblemCode } from "./problems.ts";
import type { DueTimer, JsonObject, Patch } from "./task.ts";

/** A "no" with a code, as a value: never thrown for what a caller may ask. */
export type Refusal = { kind: "refused"; code: AnyProblemCode; detail: string; params: JsonObject };

/** Something a rule does beyond the task's own row; the engine carries it out in the same transaction, batched by kind. */
export type SideEffect = { kind: string } & JsonObject;

/** What becomes of a task's timer: a new one, none (null), or the one it has. */
export type TimerChange = DueTimer | null | "keep";

/** A new claim opens a lease (the engine makes its token); leaving the leased statuses closes it. */
export type LeaseChange = "open" | "close" | "keep";

/** The version grows by one and the journal by one row; the status may stay the same. The clock of both is the situation's. */
export type Moved = {
  kind: "moved";
  to: string;
  patch: Readonly<Patch>;
  timer: TimerChange;
  lease: LeaseChange;
  effects: readonly SideEffect[];
  event: Readonly<{ type: string; action: string; from: string; to: string; comment: string | null }>;
};

/** Only timers, lease, counters or updated_at change: no version, no event. */
export type Touched = { kind: "touched"; patch: Readonly<Patch>; timer: TimerChange; lease: LeaseChange };

/** Accepted; nothing changes and nothing is published. */
export type Absorbed = { kind: "absorbed" };

export type Decision = Moved | Touched | Absorbed | Refusal;

export function refuse(code: AnyProblemCode, detail: string, params: JsonObject = {}): Refusal {
  return { kind: "refused", code, detail, params };
}

/** Tells a refusal from an answer. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refused";
}
