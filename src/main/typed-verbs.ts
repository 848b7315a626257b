import type {
  ActionOf,
  ExplanationOf,
  JournalEntryOf,
  MovedOf,
  MoveOf,
  Named,
  SomeLifecycle,
  StatusOf,
  TaskOf,
  TypesOf,
} from "../client/lifecycle.ts";
import type { Instant, JsonObject, Refusal } from "../core/index.ts";
import type {
  Caller,
  ClaimRequest,
  NewTask,
  PerformRequest,
  TaskQuery as EngineTaskQuery,
  Within,
} from "../engine/index.ts";

/** A task of one of the known lifecycles; its `lifecycle` has the name. */
export type KnownTask<Known extends SomeLifecycle> = Known extends SomeLifecycle ? TaskOf<Known> : never;

/** A task to create: the fields of its lifecycle, and those of every creation. */
export type NewTaskOf<Known extends SomeLifecycle> = Known extends SomeLifecycle
  ? string extends Known["name"]
    ? Omit<NewTask, "available_at"> & CreationFields & { lifecycle: string }
    : { lifecycle: Known["name"] } & TypesOf<Known>["creation"] & CreationFields
  : never;

type CreationFields = Pick<NewTask, "project_id" | "ref" | "on_failure"> & {
  /** ISO 8601 text, or milliseconds since 1970. */
  available_at?: string | Instant;
};

/** A command on a task: an action of one of the known lifecycles with its payload. */
export type PerformRequestOf<Known extends SomeLifecycle> = Known extends SomeLifecycle
  ? string extends Known["name"]
    ? PerformRequest
    : {
        [Action in ActionOf<Known>]: { task_id: string; lifecycle?: Known["name"]; action: Action } & MoveOf<
          Known,
          Action
        >;
      }[ActionOf<Known>]
  : never;

/** The answer to a creation; the lists have the order of the request. */
export type CreatedTasksOf<Known extends SomeLifecycle> = {
  kind: "created";
  tasks: KnownTask<Known>[];
  /** True where a task with the same dedupe key existed already. */
  existing: boolean[];
  /** Results of their side effects, by kind; absent without side effects. */
  made?: (JsonObject | null)[];
  replayed: boolean;
};

/** The answer to an accepted command: the fields of the client's answer, and how it came about. */
export type PerformedOf<Known extends SomeLifecycle> = Known extends SomeLifecycle
  ? MovedOf<Known> & {
      kind: "performed";
      /** Results of its side effects, by kind; absent without side effects. */
      made?: JsonObject;
      /** The answer of an earlier request with the same client_event_id. */
      replayed: boolean;
    }
  : never;

/** The answer to a claim: the tasks with their leases. */
export type ClaimedTasksOf<L extends SomeLifecycle> = {
  kind: "claimed";
  tasks: (TaskOf<L> & { lease_token: string | null; lease_until: string | null })[];
  /** If no task could be claimed: why the first candidate was refused. */
  refusal: Omit<Refusal, "kind"> | null;
  replayed: boolean;
};

export type TaskPageOf<Known extends SomeLifecycle> = { tasks: KnownTask<Known>[]; cursor: string | null };

/** Filters of a list; with `lifecycle`, the statuses are those of that lifecycle. */
type ListQuery<Known extends SomeLifecycle, Name extends Known["name"]> = Omit<
  EngineTaskQuery,
  "lifecycle" | "status"
> & { lifecycle?: Name; status?: readonly StatusOf<Named<Known, NoInfer<Name>>>[] };

/**
 * The verbs of `openPawl`, with the types of the lifecycles that it was given. Tasks and events have the shapes of the typed
 * client. A refusal is returned as a value, so that a caller's transaction stays usable.
 */
export type Verbs<Known extends SomeLifecycle> = {
  /** Creates tasks, all of them or none; they may name each other as blockers by `ref`. */
  create(
    caller: Caller,
    tasks: readonly NewTaskOf<Known>[],
    options?: { client_event_id?: string | null } & Within,
  ): Promise<CreatedTasksOf<Known> | Refusal>;
  /** Performs one command. */
  perform(
    caller: Caller,
    request: PerformRequestOf<Known>,
    within?: Within,
  ): Promise<PerformedOf<Known> | Refusal>;
  /**
   * Performs many commands, answered one by one in order; a refusal of one does not undo the others. With a `client_event_id`, the
   * call can be repeated: commands that were accepted get their first answers.
   */
  performMany(
    caller: Caller,
    requests: readonly PerformRequestOf<Known>[],
    options?: { client_event_id?: string | null } & Within,
  ): Promise<(PerformedOf<Known> | Refusal)[]>;
  /** Claims the best free tasks of a lifecycle's pool. */
  claim<const Name extends Known["name"]>(
    caller: Caller,
    request: Omit<ClaimRequest, "lifecycle"> & { lifecycle: Name },
    within?: Within,
  ): Promise<ClaimedTasksOf<Named<Known, Name>> | Refusal>;
  /** Renews leases; `lost` lists the tasks whose leases the caller no longer holds. */
  heartbeat(
    caller: Caller,
    leases: readonly { task_id: string; lease_token: string }[],
  ): Promise<{ extended: { task_id: string; lease_until: string }[]; lost: string[] }>;
  /** Finds a task that the caller may see. */
  find(caller: Caller, id: string): Promise<KnownTask<Known> | Refusal>;
  /** Lists a page of the tasks that the caller may see, oldest first; pass the returned `cursor` to get the next page. */
  list<const Name extends Known["name"] = Known["name"]>(
    caller: Caller,
    query?: ListQuery<Known, Name>,
  ): Promise<TaskPageOf<Named<Known, Name>>>;
  /** Lists the journal of a task, oldest first. */
  events(
    caller: Caller,
    id: string,
    page?: { after?: number; limit?: number },
  ): Promise<JournalEntryOf<Known>[] | Refusal>;
  /** Lists every action of a task: allowed for the caller now, or the reasons why not. */
  explain(caller: Caller, id: string): Promise<ExplanationOf<Known>[] | Refusal>;
};
