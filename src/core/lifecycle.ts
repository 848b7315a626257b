import type { z } from "zod";
import type { Moved, Refusal, SideEffect } from "./decision.ts";
import type { AnyProblemCode, Problem } from "./problems.ts";
import type { Actor, DueTimer, Instant, JsonObject, Patch, Task } from "./task.ts";

/** Everything a decision may look at. `now` is the database's clock. */
export type Situation<
  Status extends string = string,
  Data = JsonObject,
  Settings = JsonObject,
  Facts = JsonObject,
> = {
  task: Task<Status, Data>;
  actor: Actor;
  facts: Facts;
  settings: Settings;
  now: Instant;
};

/** What a caller asks for. `input` has been parsed by `admit`. */
export type Command = {
  action: string;
  input: JsonObject;
  comment: string | null;
  expected_row_version: number | null;
  lease_token: string | null;
};

/** What guards, effects and whos see: the situation together with what was asked. */
export type View<
  Status extends string = string,
  Data = JsonObject,
  Settings = JsonObject,
  Facts = JsonObject,
  Input = JsonObject,
> = Situation<Status, Data, Settings, Facts> &
  Pick<Command, "action" | "comment" | "lease_token"> & { input: Input };

export type Guard<V = View> = (view: V) => true | Refusal;

/**
 * A condition on a task that the pool's query applies in SQL and `guardOf` in TypeScript. `setting` is a setting of the task's
 * project; an actor without a skill level has level 0.
 */
export type Condition =
  | { field: "assigned_to"; is: null }
  | { field: "private"; is: false }
  | { field: "open_blockers" | "open_holds"; is: 0 }
  | { field: "created_by"; is_not: "actor.id" }
  | { field: `data.${string}`; null_or_in: "actor.specializations" }
  | { setting: string; at_most: "actor.skill_level" };

/** A guard that is a condition: where it guards the pool's action, the pool offers only tasks that meet it. */
export type ConditionGuard<V = View> = { where: Condition; refusal: (view: V) => Refusal };

/** What an effect changes of the row. */
export type Change<Data = JsonObject> = Omit<Patch, "data"> & { data?: Partial<Data> };

/** An effect changes the row, or does more than that, part by part. */
export type Effect<V = View, Data = JsonObject> = ((view: V) => Change<Data>) | EffectParts<V, Data>;

export type EffectParts<V = View, Data = JsonObject> = {
  change?: (view: V) => Change<Data>;
  /** Done beyond the row by the engine, in the same transaction. */
  also?: (view: V) => readonly SideEffect[];
  /** Replaces the caller's comment in the journal. */
  comment?: (view: V) => string;
  /** Instead of the timer, and of the lease, that go with the status. */
  timer?: (view: V) => DueTimer | null;
  lease?: "close";
};

/** Somebody a rule is for. The label is shown in tables and refusals. */
export type Who<V = View> = { label: string; test: (view: V) => boolean; refusal?: (view: V) => Refusal };

type TimerSince = "entered_at" | "created_at" | "updated_at" | "heartbeat_at";

/** One unit, and a fixed number of it or the path of a numeric setting ("status_deadlines.NEW"). */
export type Duration = {
  [U in Unit]: Record<U, number | string> & Partial<Record<Exclude<Unit, U>, never>>;
}[Unit];
type Unit = "seconds" | "minutes" | "hours" | "days";

/** When a task has stayed too long, the sweep performs `action` as the system. */
export type Timer<Action extends string = string> = {
  action: Action;
  since: TimerSince;
  after: Duration;
  /** Asleep while the task has needs_attention, so that a report is made once. */
  unless_attended?: boolean;
};

export type StatusSpec<Action extends string = string> = {
  meaning?: string;
  final?: boolean;
  /** A final status that satisfies those who wait for the task. Others never do. */
  success?: boolean;
  /** Held under a lease: entering from an unleased status opens one, leaving closes it. */
  lease?: boolean;
  timers?: readonly Timer<Action>[];
};

export type Demand = "required" | "optional";

export type ActionSpec = {
  summary?: string;
  input?: z.ZodObject;
  /** Fields of the input that have a code of their own when they are missing or blank. */
  required?: Readonly<Record<string, AnyProblemCode>>;
  /** The row of `permissions` that opens it; `task.<action>` unless said otherwise. */
  permission?: string;
  comment?: Demand;
  expected_row_version?: Demand;
  client_event_id?: Demand;
  /** The journal's word for it; the action's name unless said otherwise. */
  event?: string;
  /** The facts its guards and effects read: the engine loads just these. */
  facts?: readonly string[];
};

/** One row of the table. Without `to` the status stays as it is. */
export type Rule<
  Status extends string = string,
  Action extends string = string,
  WhoName extends string = string,
  GuardName extends string = string,
  EffectName extends string = string,
> = {
  action: Action;
  from: Status | readonly Status[];
  to?: Status;
  who: WhoName | readonly WhoName[];
  guards?: readonly GuardName[];
  effects?: readonly EffectName[];
  /** "moved" unless said otherwise; see Decision. */
  outcome?: "moved" | "touched" | "absorbed";
};

/** What a lifecycle makes of a creation's input. */
export type Draft<Data = JsonObject> = {
  title: string;
  data: Data;
  assigned_to?: string | null;
  private?: boolean;
  priority?: number;
  available_at?: Instant | null;
  /** A second creation with the same key returns the first task. */
  dedupe_key?: string | null;
  /** Ids or refs; with a policy of its own where one says what becomes of the task when that blocker fails. */
  blocked_by?: readonly (string | { task: string; on_failure: "wait" | "proceed" | "fail" })[];
};

export type CreationView<Settings = JsonObject, Facts = JsonObject, Input = JsonObject> = {
  input: Input;
  actor: Actor;
  settings: Settings;
  facts: Facts;
  now: Instant;
};

/** How a task comes into being: its fields, and the first row of `to` whose guards hold. */
export type Creation<
  Status extends string = string,
  GuardName extends string = string,
  Draft_ = CreationDraft,
> = {
  input: z.ZodObject;
  permission?: string;
  client_event_id?: Demand;
  /** The input's own word for what a task waits for; `blocked_by` unless said otherwise. */
  waits_for?: string;
  /** What becomes of a task when one that it waits for ends without success, where its creator has no say in it. */
  on_failure?: "wait" | "proceed" | "fail";
  facts?: readonly string[];
  to: readonly { status: Status; guards?: readonly GuardName[] }[];
  draft: Draft_;
  /** Done beyond the new row by the engine, in the same transaction. */
  also?: (view: CreationView & { task: Task }) => readonly SideEffect[];
};
type CreationDraft = (view: CreationView) => Draft;

/** The tasks free to take, and the action that takes one. */
export type PoolDefinition<
  Status extends string = string,
  Action extends string = string,
  GuardName extends string = string,
> = {
  action: Action;
  from: Status;
  /** Conditions beyond those that guard the action; each becomes a guard of the action as well. */
  where?: readonly Condition[];
  /** Guards of the action that are no conditions on purpose: a task that the pool offers may be refused by them. */
  checked_on_claim?: readonly GuardName[];
};

/** A pool with all its conditions: its own and those that guard its action. */
export type Pool = Required<PoolDefinition>;

/** What the system does about tasks in `from`, in the transaction that changed what they wait for. */
export type Unblocks<Status extends string = string, Action extends string = string> = {
  from: Status;
  /** Once nothing blocks or holds the task any more. */
  action: Action;
  /** When a blocker ended without success, and the task goes on waiting for it. */
  flag?: Action;
  /** When a blocker ended without success, and the dependency says that the task then fails too. */
  fail?: Action;
};

/** What earlier versions of the lifecycle called things: tasks that still are in such a status are moved on when it is loaded. */
export type Migrations<Status extends string = string, Action extends string = string> = {
  /** A status that is gone → the one its unfinished tasks move to. */
  statuses?: Readonly<Record<string, Status>>;
  /** An action that is gone → the one that timers set for it perform instead. */
  actions?: Readonly<Record<string, Action>>;
};

/** The roles a permission is given to; "anyone" is every role but viewer. */
export type Roles = "anyone" | readonly string[];

/** Must hold for every task at every moment; what it may read is what `check` explores. */
export type Invariant<Status extends string = string> = (task: ModelledTask<Status>) => boolean;
type ModelledTask<Status extends string = string> = Pick<
  Task<Status>,
  | "status"
  | "assigned_to"
  | "created_by"
  | "attempt"
  | "open_blockers"
  | "open_holds"
  | "needs_attention"
  | "private"
  | "exclusive_key"
  | "lease"
  | "due_action"
>;

export type ForeignAction = { prefix: string; code: AnyProblemCode; detail: string };

/** A lifecycle ready for use: the definition as it was written, and its rules indexed for `decide`. */
export type Lifecycle = {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly statuses: Readonly<Record<string, StatusSpec>>;
  readonly actions: Readonly<Record<string, ActionSpec>>;
  readonly rules: readonly Rule[];
  readonly creation: Creation;
  readonly permissions: Readonly<Record<string, Roles>>;
  readonly who: Readonly<Record<string, Who>>;
  readonly guards: Readonly<Record<string, Guard>>;
  /** The guards that are conditions, by their names. */
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly effects: Readonly<Record<string, Effect>>;
  readonly invariants: Readonly<Record<string, Invariant>>;
  readonly problems: Readonly<Record<string, Problem>>;
  readonly data: z.ZodObject;
  readonly settings: z.ZodObject;
  readonly facts: z.ZodObject;
  readonly lease: { lasts: Duration } | null;
  readonly pool: Pool | null;
  readonly unblocks: Unblocks | null;
  readonly migrations: Required<Migrations>;
  readonly foreign_actions: readonly ForeignAction[];
  readonly not_from_here: Readonly<Record<string, (view: View) => Refusal | null>>;
  /** action → status → the rules that start there, in the order they were declared. */
  readonly table: ReadonlyMap<string, ReadonlyMap<string, readonly ReadyRule[]>>;
  /** The statuses an action starts from, in the order of the rules. */
  readonly starts: ReadonlyMap<string, readonly string[]>;
  /** Actions whose every rule is for the lease's worker. */
  readonly leased_actions: ReadonlySet<string>;
};

/** A rule with its names resolved, so that a decision looks nothing up by name. */
export type ReadyRule = {
  readonly kind: "rule";
  readonly rule: Rule;
  readonly index: number;
  readonly from: string;
  readonly to: string;
  /** What is told of it where nobody comments. */
  readonly event: Moved["event"];
  readonly outcome: "moved" | "touched" | "absorbed";
  readonly who: readonly Who[];
  /** Whether the actor is one of `who`. */
  readonly isFor: (view: View) => boolean;
  readonly guards: readonly Guard[];
  readonly changes: readonly ((view: View) => Change)[];
  readonly also: readonly ((view: View) => readonly SideEffect[])[];
  readonly comment: ((view: View) => string) | null;
  readonly timer: ((view: View) => DueTimer | null) | null;
  readonly timers: readonly Timer[];
  readonly lease: "open" | "close" | "keep";
  readonly retimes: boolean;
};
