import type { ProblemDocument, ROUTES } from "../api/index.ts";
import type { Calls, OptionalArg } from "./calls.ts";
import type { FeedEvent, FeedQuery } from "./feed.ts";
import type {
  ActionOf,
  ClaimedOf,
  ClaimOf,
  CreationOf,
  ExplanationOf,
  JournalEntryOf,
  ManyMovesOf,
  MovedOf,
  MoveOf,
  SomeLifecycle,
  TaskOf,
  TaskQueryOf,
} from "./lifecycle.ts";
import { problemOfDocument } from "./problem.ts";
import type { PawlProblem } from "./problem.ts";
import type { CallOptions } from "./send.ts";

/** The tasks of one lifecycle, with the types of its definition: actions, payloads, statuses and fields. */
export type Tasks<L extends SomeLifecycle = SomeLifecycle> = {
  readonly lifecycle: L["name"];
  readonly create: (fields: CreationOf<L>, options?: CallOptions) => Promise<TaskOf<L>>;
  readonly get: (id: string, options?: CallOptions) => Promise<TaskOf<L>>;
  readonly list: (
    query?: TaskQueryOf<L>,
    options?: CallOptions,
  ) => Promise<{ tasks: TaskOf<L>[]; cursor: string | null }>;
  /** Iterates over all matching tasks, page by page. */
  readonly each: (
    query?: TaskQueryOf<L>,
    options?: CallOptions,
  ) => AsyncGenerator<TaskOf<L>, void, undefined>;
  /** Performs an action on a task; a refusal is thrown. */
  readonly act: <const Action extends ActionOf<L>>(
    id: string,
    action: Action,
    ...more: [...OptionalArg<MoveOf<L, Action>>, options?: CallOptions]
  ) => Promise<MovedOf<L>>;
  /** Performs many actions in one request; returns the answers in order. A refusal is returned in its place and undoes no other action. */
  readonly actAll: (
    moves: readonly ManyMovesOf<L>[],
    options?: CallOptions,
  ) => Promise<(MovedOf<L> | PawlProblem)[]>;
  /** Claims the best free tasks of the pool. */
  readonly claim: (request?: ClaimOf, options?: CallOptions) => Promise<ClaimedOf<L>>;
  /** Lists the actions of a task: allowed for the caller now, or all the reasons why not. */
  readonly explain: (id: string, options?: CallOptions) => Promise<ExplanationOf<L>[]>;
  /** Lists the journal of a task, oldest first. */
  readonly journal: (
    id: string,
    query?: { after?: number; limit?: number },
    options?: CallOptions,
  ) => Promise<JournalEntryOf<L>[]>;
  readonly events: Events<Omit<FeedQuery, "lifecycle">>;
};

/** Streams events until the signal aborts it. */
export type Events<Query = FeedQuery> = (query?: Query) => AsyncGenerator<FeedEvent, void, undefined>;

/** The calls that the task API of a lifecycle is built from. */
export type TaskCalls = Pick<
  Calls<typeof ROUTES>,
  | "createTask"
  | "getTask"
  | "listTasks"
  | "listTaskEvents"
  | "explainTask"
  | "moveTask"
  | "moveTasks"
  | "claimTasks"
  | "streamEvents"
>;

export function eventsOf({ streamEvents }: Pick<TaskCalls, "streamEvents">): Events {
  return ({ signal, onConnection, onPosition, ...query } = {}) =>
    streamEvents(query, { signal, onConnection, onPosition });
}

type Untyped = Omit<Tasks, "act"> & {
  act: (id: string, action: string, more?: object, options?: CallOptions) => Promise<MovedOf>;
};

/** Builds the task API of one lifecycle. */
export function tasksOf<L extends SomeLifecycle>(lifecycle: L["name"], calls: TaskCalls): Tasks<L> {
  const tasks: Untyped = {
    lifecycle,
    create: (fields, options) => calls.createTask({ ...fields, lifecycle }, options),
    get: (id, options) => calls.getTask({ id }, options),
    list: ({ status, ...query } = {}, options) =>
      calls.listTasks({ ...query, ...(status ? { status: [...status] } : {}), lifecycle }, options),
    each: async function* (query = {}, options) {
      for (let cursor = query.cursor; ;) {
        const page = await tasks.list({ ...query, cursor }, options);
        yield* page.tasks;
        if (page.cursor === null) return;
        cursor = page.cursor;
      }
    },
    act: (id, action, more = {}, options) => calls.moveTask({ ...more, id, action }, options),
    actAll: async (moves, options) => {
      if (moves.length === 0) return [];
      const answers = await calls.moveTasks([...moves], options);
      return answers.map((answer) =>
        "outcome" in answer ? (answer as MovedOf) : problemOfDocument(answer as ProblemDocument),
      );
    },
    claim: (request = {}, options) => calls.claimTasks({ ...request, lifecycle }, options),
    explain: async (id, options) => (await calls.explainTask({ id }, options)).actions,
    journal: async (id, query = {}, options) =>
      (await calls.listTaskEvents({ ...query, id }, options)).events,
    events: (query = {}) => eventsOf(calls)({ ...query, lifecycle }),
  };
  // At run time names are plain strings; only the types restrict them to the lifecycle's.
  return tasks as unknown as Tasks<L>;
}
