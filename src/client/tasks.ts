import type { ProblemDocument, ROUTES } from "../api/index.ts";
import type { Calls, Leading } from "./calls.ts";
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

/** The tasks of one lifecycle, in its own words: actions, payloads, statuses and fields are those of its definition. */
export type Tasks<L extends SomeLifecycle = SomeLifecycle> = {
  readonly lifecycle: L["name"];
  readonly create: (fields: CreationOf<L>, options?: CallOptions) => Promise<TaskOf<L>>;
  readonly get: (id: string, options?: CallOptions) => Promise<TaskOf<L>>;
  readonly list: (
    query?: TaskQueryOf<L>,
    options?: CallOptions,
  ) => Promise<{ tasks: TaskOf<L>[]; cursor: string | null }>;
  /** Every task, page after page. */
  readonly each: (
    query?: TaskQueryOf<L>,
    options?: CallOptions,
  ) => AsyncGenerator<TaskOf<L>, void, undefined>;
  readonly act: <const Action extends ActionOf<L>>(
    id: string,
    action: Action,
    ...more: [...Leading<MoveOf<L, Action>>, options?: CallOptions]
  ) => Promise<MovedOf<L>>;
  /** Many actions at once, answered in their order; a refusal of one stands in its place and undoes no other. */
  readonly actAll: (
    moves: readonly ManyMovesOf<L>[],
    options?: CallOptions,
  ) => Promise<(MovedOf<L> | PawlProblem)[]>;
  /** Takes the best free tasks of the pool. */
  readonly claim: (request?: ClaimOf, options?: CallOptions) => Promise<ClaimedOf<L>>;
  /** What the caller may do with a task now, and all the reasons why not. */
  readonly explain: (id: string, options?: CallOptions) => Promise<ExplanationOf<L>[]>;
  /** A task's journal, oldest first. */
  readonly journal: (
    id: string,
    query?: { after?: number; limit?: number },
    options?: CallOptions,
  ) => Promise<JournalEntryOf<L>[]>;
  readonly events: Events<Omit<FeedQuery, "lifecycle">>;
};

export type Events<Query = FeedQuery> = (query?: Query) => AsyncGenerator<FeedEvent, void, undefined>;

export function eventsOf({ streamEvents }: Calls<typeof ROUTES>): Events {
  return ({ signal, onConnection, onPosition, ...query } = {}) =>
    streamEvents(query, { signal, onConnection, onPosition });
}

type Untyped = Omit<Tasks, "act"> & {
  act: (id: string, action: string, more?: object, options?: CallOptions) => Promise<MovedOf>;
};

export function tasksOf<L extends SomeLifecycle>(
  lifecycle: L["name"],
  calls: Calls<typeof ROUTES>,
): Tasks<L> {
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
  // What is a text here is a name there: only the types know which.
  return tasks as unknown as Tasks<L>;
}
