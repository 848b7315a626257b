import type { z } from "zod";
import type { DataCheck } from "./data-check.ts";
import type { Moved, Refusal, SideEffect } from "./decision.ts";
import type { AnyProblemCode, Problem } from "./problems.ts";
import type { Actor, DueTimer, Instant, JsonObject, Patch, Task } from "./task.ts";

/** Everything a decision may read. `now` is the database's clock. */
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

/** An action that a caller requests. `input` has been parsed by `admit`. */
export type Command = {
  action: string;
  input: JsonObject;
  comment: string | null;
  expected_row_version: number | null;
  lease_token: string | null;
};

/** The argument of guards, effects and `who` tests: the situation together with the command. */
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
 * A condition on a task, applied by the pool's query in SQL and by `guardOf` in TypeScript. `setting` is a setting of the
 * task's project; an actor without a skill level has level 0.
 */
export type Condition =
  | { field: "assigned_to"; is: null }
  | { field: "private"; is: false }
  | { field: "open_blockers" | "open_holds"; is: 0 }
  | { field: "created_by"; is_not: "actor.id" }
  | { field: `data.${string}`; null_or_in: "actor.specializations" }
  | { setting: string; at_most: "actor.skill_level" };

/** A guard declared as a condition. If it guards the pool's action, the pool offers only tasks that meet it. */
export type ConditionGuard<V = View> = { where: Condition; refusal: (view: V) => Refusal };

/** The columns of a task's row that an effect changes. */
export type Change<Data = JsonObject> = Omit<Patch, "data"> & { data?: Partial<Data> };

/** An effect is a function that changes the row, or an object of several parts. */
export type Effect<V = View, Data = JsonObject> = ((view: V) => Change<Data>) | EffectParts<V, Data>;

export type EffectParts<V = View, Data = JsonObject> = {
  change?: (view: V) => Change<Data>;
  /** Side effects beyond the row, which the engine runs in the same transaction. */
  side_effects?: (view: V) => readonly SideEffect[];
  /** Replaces the caller's comment in the journal. */
  comment?: (view: V) => string;
  /** Replaces the input as the payload of the journal row. */
  payload?: (view: V) => JsonObject;
  /** Replaces the timer of the status. */
  timer?: (view: V) => DueTimer | null;
  /** Closes the lease even if the status keeps it. */
  lease?: "close";
};

/** A kind of actor that a rule is for. The label is shown in tables and refusals. */
export type Who<V = View> = { label: string; test: (view: V) => boolean; refusal?: (view: V) => Refusal };

type TimerSince = "entered_at" | "created_at" | "updated_at" | "heartbeat_at";

/** An amount of one unit: a fixed number, or the path of a numeric setting ("status_deadlines.NEW"). */
export type Duration = {
  [U in Unit]: Record<U, number | string> & Partial<Record<Exclude<Unit, U>, never>>;
}[Unit];
type Unit = "seconds" | "minutes" | "hours" | "days";

/** When a task has been in a status for too long, the sweep performs `action` as the system. */
export type Timer<Action extends string = string> = {
  action: Action;
  since: TimerSince;
  after: Duration;
  /** Paused while the task has needs_attention, so that the timer raises it only once. */
  unless_attended?: boolean;
  /**
   * The path of a boolean setting. While it is on, the timer does not run for a task with open blockers: it starts when the last
   * blocker is resolved, or when one ends without success, because then the task would wait forever.
   */
  waits_for_blockers?: string;
};

export type StatusSpec<Action extends string = string> = {
  meaning?: string;
  final?: boolean;
  /** A final status that unblocks the tasks that wait for this one. Other final statuses never do. */
  success?: boolean;
  /** Needs a lease: entering from a status without one opens it, leaving closes it. */
  lease?: boolean;
  timers?: readonly Timer<Action>[];
};

export type Demand = "required" | "optional";

export type ActionSpec = {
  summary?: string;
  input?: z.ZodObject;
  /** Required fields of the input, each with the refusal code for a missing or blank value. */
  required?: Readonly<Record<string, AnyProblemCode>>;
  /** The permission that the action needs; default `task.<action>`. */
  permission?: string;
  comment?: Demand;
  expected_row_version?: Demand;
  client_event_id?: Demand;
  /** The event type in the journal; default: the action's name. */
  event?: string;
  /** The facts that its guards and effects read; the engine loads only these. */
  facts?: readonly string[];
  /** Refused to tokens that are confined to one task, whatever the roles of their member are. */
  unconfined?: boolean;
};

/** One row of a lifecycle's table. Without `to` the status does not change. */
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
  /** Default "moved"; see Decision. */
  outcome?: "moved" | "touched" | "absorbed";
};

/** The fields of a new task, as the lifecycle derives them from the input. */
export type Draft<Data = JsonObject> = {
  title: string;
  data: Data;
  assigned_to?: string | null;
  private?: boolean;
  /** The only members that may see the task; null: no restriction. A lifecycle with a pool cannot use it. */
  readers?: readonly string[] | null;
  priority?: number;
  available_at?: Instant | null;
  /** A second creation with the same key returns the first task. */
  dedupe_key?: string | null;
  /** Ids or refs of the blockers; `on_failure` is the policy for a blocker that ends without success. */
  blocked_by?: readonly (string | { task: string; on_failure: "wait" | "proceed" | "fail" })[];
};

export type CreationView<Settings = JsonObject, Facts = JsonObject, Input = JsonObject> = {
  input: Input;
  actor: Actor;
  settings: Settings;
  facts: Facts;
  now: Instant;
};

/** How a task is created. Its status is the first of `to` whose guards hold. */
export type Creation<
  Status extends string = string,
  GuardName extends string = string,
  Draft_ = CreationDraft,
> = {
  input: z.ZodObject;
  permission?: string;
  client_event_id?: Demand;
  /** The input field that lists the task's blockers; default `blocked_by`. */
  blockers_field?: string;
  /** Input fields that a token confined to one task cannot choose: its new tasks get the values of that task. */
  inherited_fields?: readonly string[];
  /** Policy for blockers that end without success, where the creator does not choose one. */
  on_failure?: "wait" | "proceed" | "fail";
  facts?: readonly string[];
  to: readonly { status: Status; guards?: readonly GuardName[] }[];
  draft: Draft_;
  /** Side effects beyond the new row, which the engine runs in the same transaction. */
  side_effects?: (view: CreationView & { task: Task }) => readonly SideEffect[];
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
  /** Guards of the action that are deliberately not conditions: they may refuse a task that the pool offers. */
  checked_on_claim?: readonly GuardName[];
  /** A field by which a claim can select tasks: those whose field is null, or one of the values that the claim names. */
  filter?: `data.${string}` | null;
  /**
   * True if the facts of the action do not depend on what else the member holds. Otherwise claims of one member run one after the
   * other, because each may change the facts of the next.
   */
  shared_facts?: boolean;
};

/** A pool with all its conditions: its own and those that guard its action. */
export type Pool = Required<PoolDefinition>;

/** Actions that the system performs on waiting tasks (status `from`), in the transaction that changed their blockers. */
export type Unblocks<Status extends string = string, Action extends string = string> = {
  from: Status;
  /** When the task has no open blockers or holds left. */
  action: Action;
  /** When a blocker ended without success and the task keeps waiting for it. */
  flag?: Action;
  /** When a blocker ended without success and the dependency's policy is "fail". */
  fail?: Action;
};

/** Names of earlier versions of the lifecycle. Tasks that still use them are moved when the lifecycle is loaded. */
export type Migrations<Status extends string = string, Action extends string = string> = {
  /** A removed status → the one that its unfinished tasks move to. */
  statuses?: Readonly<Record<string, Status>>;
  /** A removed action → the one that its pending timers perform instead. */
  actions?: Readonly<Record<string, Action>>;
};

/** The roles a permission is given to; "anyone" is every role but viewer. */
export type Roles = "anyone" | readonly string[];

/** Must hold for every task at any time. It may read only the fields that `check` explores. */
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

export type RedirectedAction = { prefix: string; code: AnyProblemCode; detail: string };

/** A lifecycle ready for use: the definition with its rules indexed for `decide`. */
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
  /** The guards that are conditions, by name. */
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
  readonly redirected_actions: readonly RedirectedAction[];
  readonly wrong_status_refusals: Readonly<Record<string, (view: View) => Refusal | null>>;
  /** action → status → the rules that start there, in declaration order. */
  readonly rules_by_action: ReadonlyMap<string, ReadonlyMap<string, readonly CompiledRule[]>>;
  /** The statuses that an action starts from, in the order of the rules. */
  readonly source_statuses: ReadonlyMap<string, readonly string[]>;
  /** Actions that only the holder of the lease can perform. */
  readonly lease_only_actions: ReadonlySet<string>;
  /** Checks data that effects and drafts produce. */
  readonly data_check: DataCheck;
};

/** A rule with its names resolved, so that a decision looks nothing up by name. */
export type CompiledRule = {
  readonly kind: "rule";
  readonly rule: Rule;
  readonly index: number;
  readonly from: string;
  readonly to: string;
  /** The event without a comment, shared by all uses of the rule. */
  readonly event: Moved["event"];
  readonly outcome: "moved" | "touched" | "absorbed";
  readonly who: readonly Who[];
  /** Whether the actor is one of `who`. */
  readonly isFor: (view: View) => boolean;
  readonly guards: readonly Guard[];
  readonly changes: readonly ((view: View) => Change)[];
  readonly side_effects: readonly ((view: View) => readonly SideEffect[])[];
  readonly comment: ((view: View) => string) | null;
  readonly payload: ((view: View) => JsonObject) | null;
  readonly timer: ((view: View) => DueTimer | null) | null;
  readonly timers: readonly Timer[];
  readonly lease: "open" | "close" | "keep";
  /** Whether the rule recomputes the task's timer. */
  readonly resetsTimer: boolean;
};
