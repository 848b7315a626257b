import type { z } from "zod";
import type { BodySent, EventOnWire, QuerySent, ReplyOf, ROUTES, TaskOnWire } from "../api/index.ts";

/** What the type of a lifecycle tells a client: the result of `defineLifecycle` is one. */
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

type TypesOf<L extends SomeLifecycle> = NonNullable<L["types"]>;
export type StatusOf<L extends SomeLifecycle> = TypesOf<L>["status"];
export type ActionOf<L extends SomeLifecycle> = keyof TypesOf<L>["actions"] & string;

/** A task whose status, data and lifecycle are known by their names. */
export type TaskOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  TaskOnWire,
  "lifecycle" | "status" | "data"
> & { lifecycle: L["name"]; status: StatusOf<L>; data: TypesOf<L>["data"] };

type Creation = BodySent<typeof ROUTES.createTask>;

/** What a task is made of: the lifecycle's own fields, and what every creation takes. */
export type CreationOf<L extends SomeLifecycle = SomeLifecycle> = TypesOf<L>["creation"] &
  Pick<Creation, "project_id" | "available_at" | "client_event_id">;

type Transition = BodySent<typeof ROUTES.moveTask>;

type Demanded<Spec, Field extends "comment" | "expected_row_version", Value> =
  Spec extends Record<Field, "required"> ? Record<Field, Value> : Pick<Transition, Field>;

type Payload<Spec> =
  Spec extends Record<"input", infer Input extends z.ZodType>
    ? object extends z.input<Input>
      ? { payload?: z.input<Input> | null }
      : { payload: z.input<Input> }
    : { payload?: null };

/** What goes with an action: its payload, and whatever else it demands. */
export type MoveOf<L extends SomeLifecycle, Action extends ActionOf<L>> =
  string extends ActionOf<L>
    ? Omit<Transition, "action">
    : Payload<TypesOf<L>["actions"][Action]> &
        Demanded<TypesOf<L>["actions"][Action], "comment", string> &
        Demanded<TypesOf<L>["actions"][Action], "expected_row_version", number> &
        Pick<Transition, "lease_token" | "client_event_id">;

/** One of many moves. */
export type ManyMovesOf<L extends SomeLifecycle> = {
  [Action in ActionOf<L>]: { id: string; action: Action } & MoveOf<L, Action>;
}[ActionOf<L>];

type Moved = ReplyOf<typeof ROUTES.moveTask>;
export type MovedOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Moved, "task" | "event"> & {
  task: TaskOf<L>;
  event: JournalEntryOf<L> | null;
};

export type JournalEntryOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  EventOnWire,
  "from_status" | "to_status"
> & { from_status: StatusOf<L> | null; to_status: StatusOf<L> | null };

type Claim = BodySent<typeof ROUTES.claimTasks>;
type Claimed = ReplyOf<typeof ROUTES.claimTasks>;
export type ClaimOf = Omit<Claim, "lifecycle">;
export type ClaimedOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Claimed, "tasks"> & {
  tasks: (TaskOf<L> & Pick<Claimed["tasks"][number], "lease_token" | "lease_until">)[];
};

export type TaskQueryOf<L extends SomeLifecycle = SomeLifecycle> = Omit<
  QuerySent<typeof ROUTES.listTasks>,
  "lifecycle" | "status"
> & { status?: readonly StatusOf<L>[] | undefined };

type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type ExplanationOf<L extends SomeLifecycle = SomeLifecycle> = Omit<Explanation, "action"> & {
  action: ActionOf<L>;
};
