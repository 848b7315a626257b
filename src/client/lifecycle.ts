import type { z } from "zod";
import type { BodySent, EventOnWire, QuerySent, ReplyOf, ROUTES, TaskOnWire } from "../api/index.ts";

/** The part of a lifecycle's type that a client uses; the result of `defineLifecycle` has it. */
export type SomeLifecycle = {
  readonly name: string;
  readonly types?: {
    status: string;
    actions: Readonly<Record<string, SomeAction>>;
    data: Record<string, unknown>;
    creation: Record<string, unknown>;
  };
};
type SomeAction = { readonly input?: z.ZodObject; readonly [about: string]: unknown };

/** The lifecycle with this name among several; the same type if their names are known only at run time. */
export type Named<Known extends SomeLifecycle, Name extends string> = string extends Known["name"]
  ? Known
  : Extract<Known, { readonly name: Name }>;

/**
 * The lifecycles of a list of plugins and lifecycles: `createClient<LifecyclesOf<typeof plugins>>(…)` knows what
 * `openPawl({ plugins })` knows. Lifecycles whose types are not known, as in a list that is loaded at run time, allow every name.
 */
export type LifecyclesOf<List extends readonly unknown[]> = KnownLifecycle<List[number]>;

type KnownLifecycle<Given> = [Given] extends [never]
  ? SomeLifecycle
  : Given extends { readonly lifecycle: infer L }
    ? TypedLifecycle<L>
    : TypedLifecycle<Given>;
type TypedLifecycle<L> = L extends { readonly name: infer Name extends string; readonly types?: infer Types }
  ? string extends Name
    ? SomeLifecycle
    : { readonly name: Name; readonly types?: Types } extends infer Typed extends SomeLifecycle
      ? Typed
      : SomeLifecycle
  : SomeLifecycle;

/** The types that a lifecycle declares. */
export type TypesOf<L extends SomeLifecycle> = NonNullable<L["types"]>;
/** The names of a lifecycle's statuses. */
export type StatusOf<L extends SomeLifecycle> = TypesOf<L>["status"];
/** The names of a lifecycle's actions. */
export type ActionOf<L extends SomeLifecycle> = keyof TypesOf<L>["actions"] & string;

/** A task with the lifecycle's own types of status and data. */
export type TaskOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  TaskOnWire,
  "lifecycle" | "status" | "data"
> & { lifecycle: L["name"]; status: StatusOf<L>; data: TypesOf<L>["data"] };

type Creation = BodySent<typeof ROUTES.createTask>;

/** The fields of a creation: the lifecycle's own, and those of every creation. */
export type CreationOf<L extends SomeLifecycle = SomeLifecycle> = TypesOf<L>["creation"] &
  Pick<Creation, "project_id" | "available_at" | "client_event_id">;

type Transition = BodySent<typeof ROUTES.moveTask>;

/** A field that some actions require. */
type RequiredBy<Spec, Field extends "comment" | "expected_row_version", Value> =
  Spec extends Record<Field, "required"> ? Record<Field, Value> : Pick<Transition, Field>;

type Payload<Spec> =
  Spec extends Record<"input", infer Input extends z.ZodType>
    ? object extends z.input<Input>
      ? { payload?: z.input<Input> | null }
      : { payload: z.input<Input> }
    : { payload?: null };

/** The fields of an action: its payload, and whatever else it requires. */
export type MoveOf<L extends SomeLifecycle, Action extends ActionOf<L>> =
  string extends ActionOf<L>
    ? Omit<Transition, "action">
    : Payload<TypesOf<L>["actions"][Action]> &
        RequiredBy<TypesOf<L>["actions"][Action], "comment", string> &
        RequiredBy<TypesOf<L>["actions"][Action], "expected_row_version", number> &
        Pick<Transition, "lease_token" | "client_event_id">;

/** One action in a list for several tasks. */
export type ManyMovesOf<L extends SomeLifecycle> = {
  [Action in ActionOf<L>]: { id: string; action: Action } & MoveOf<L, Action>;
}[ActionOf<L>];

type Moved = ReplyOf<typeof ROUTES.moveTask>;
/** The answer to an action. */
export type MovedOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Moved, "task" | "event"> & {
  task: TaskOf<L>;
  event: JournalEntryOf<L> | null;
};

/** A row of a task's journal. */
export type JournalEntryOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  EventOnWire,
  "from_status" | "to_status"
> & { from_status: StatusOf<L> | null; to_status: StatusOf<L> | null };

type Claim = BodySent<typeof ROUTES.claimTasks>;
type Claimed = ReplyOf<typeof ROUTES.claimTasks>;
/** The fields of a claim. */
export type ClaimOf = Omit<Claim, "lifecycle">;
/** The answer to a claim: the claimed tasks with their leases. */
export type ClaimedOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Claimed, "tasks"> & {
  tasks: (TaskOf<L> & Pick<Claimed["tasks"][number], "lease_token" | "lease_until">)[];
};

/** Filters of a list of tasks. */
export type TaskQueryOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  QuerySent<typeof ROUTES.listTasks>,
  "lifecycle" | "status"
> & { status?: readonly StatusOf<L>[] | undefined };

type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
/** An action of a task: allowed now, or the reasons why not. */
export type ExplanationOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Explanation, "action"> & {
  action: ActionOf<L>;
};
