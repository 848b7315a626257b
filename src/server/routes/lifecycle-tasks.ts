import { eventOnWire, taskOnWire } from "../../api/index.ts";
import type {
  EventOnWire,
  ReplyOf,
  RouteTable,
  TaskOnWire,
  TaskRouteKind,
  TaskRoutes,
} from "../../api/index.ts";
import { isRefusal, PawlError } from "../../core/index.ts";
import type { JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import { notFound } from "../../engine/index.ts";
import type {
  Caller,
  Directory,
  Engine,
  Performed,
  PublicTask,
  TaskQuery,
  SentCreation,
} from "../../engine/index.ts";
import { actionRefusal } from "../auth/body-permission.ts";
import { longPollClaim } from "../claims/long-poll-claim.ts";
import type { PoolWatch } from "../claims/pool-watch.ts";
import { defined } from "../routing/defined.ts";
import { answer } from "../routing/route-set.ts";
import type { BodyCheck, Call, RouteSet, Verb } from "../routing/route-set.ts";
import { assignee, createTasks, performRequest } from "./task-calls.ts";
import { projectRefusal } from "./filter-refusals.ts";

type Host = { engine: Engine; directory: Directory; pools: PoolWatch };

type TypesOf<L> = L extends { readonly types?: infer T } ? NonNullable<T> : never;

/** A task whose status and data are those of its lifecycle. */
type TaskIn<L> =
  TypesOf<L> extends { status: infer Status; data: infer Data }
    ? Omit<PublicTask, "status" | "data"> & { status: Status; data: Data }
    : PublicTask;

/** The caller, and whether the answer repeats an earlier one. */
type Shown = { caller: Caller; replayed: boolean };
type Present<L, Task> = (
  tasks: readonly TaskIn<L>[],
  shown: Shown,
) => readonly Task[] | Promise<readonly Task[]>;

/** How answers are built; each function is optional if the default shape fits. */
type Presenting<L, Task, Event, Table extends RouteTable> = Optional<
  TaskOnWire,
  Task,
  /** Shapes the tasks of an answer, in the same order; for a single task that is gone, returns an empty list. */
  { present: Present<L, Task> }
> &
  Optional<
    EventOnWire,
    Event,
    /** Builds the whole answer to a move; default the task and its event. */
    { presentMove: (done: Performed, caller: Caller) => MoveReply<Table> | Promise<MoveReply<Table>> }
  >;
type Optional<Usual, Shape, Way> = Usual extends Shape ? Partial<Way> : Way;
type MoveReply<Table extends RouteTable> = ReplyOf<Table[keyof Table & `move${string}`], 200> | Refusal;

type Options<Table extends RouteTable> = {
  /** Adds missing fields to a creation. */
  complete?: (creation: JsonObject, caller: Caller) => JsonObject | Promise<JsonObject>;
  /** Handlers that replace the default ones. */
  verbs?: { readonly [Name in keyof Table]?: Verb<Table[Name]> };
};

/**
 * Serves the routes that `taskRoutes` describes. Tasks of other lifecycles are not found here. The caller's role is checked before
 * the task is read.
 *
 *     routes: (host) => [serveTaskRoutes(orders, host, { present: (tasks) => tasks.map(orderOnWire) })]
 */
export function serveTaskRoutes<Table extends RouteTable, L extends Lifecycle, Task, Event>(
  routes: TaskRoutes<Table, L, Task, Event>,
  host: Host,
  options: Options<Table> & Presenting<L, Task, Event, Table>,
): RouteSet {
  const { table, names, lifecycle } = routes;
  const own = (options.verbs ?? {}) as Readonly<Record<string, Verb>>;
  // The types of the lifecycle and its answers are erased here; the rows of the table have the schemas.
  const defaults = verbsOf(routes, host, options as Erased);
  const kinds = Object.entries(names) as [TaskRouteKind, string][];
  const verbs = kinds.map(([kind, name]): [string, Verb] => {
    const verb = own[name];
    const shaped = kind === "move" ? options.presentMove : !RESHAPED_BY_VERB.has(kind);
    if (!verb && !shaped && routes.reshaped.has(kind))
      throw new PawlError(
        "INVALID_CONFIG",
        `${name} has an answer of its own shape. Add a handler for it to "verbs".`,
      );
    return [name, verb ?? defaults[kind]];
  });
  const checkAction: BodyCheck = ({ caller, body }) => actionRefusal(lifecycle, caller, body);
  return {
    table,
    verbs: Object.fromEntries(verbs),
    bodyChecks: names.move === undefined ? {} : { [names.move]: checkAction },
  };
}

/** The default handlers of these cannot answer in another shape. */
const RESHAPED_BY_VERB = new Set<TaskRouteKind>(["list", "get"]);

type Erased = {
  present?: (
    tasks: readonly PublicTask[],
    shown: Shown,
  ) => readonly JsonObject[] | Promise<readonly JsonObject[]>;
  presentMove?: (done: Performed, caller: Caller) => JsonObject | Refusal | Promise<JsonObject | Refusal>;
  complete?: (creation: JsonObject, caller: Caller) => JsonObject | Promise<JsonObject>;
};

/** Shared by the handlers of one lifecycle's routes. */
type Context = Host & {
  lifecycle: string;
  /** The field that names the project. */
  project: string;
  present: Required<Erased>["present"];
  presentOne: (task: PublicTask, shown: Shown) => Promise<JsonObject | Refusal>;
};

function verbsOf(
  { table, names, lifecycle, project }: TaskRoutes<RouteTable, Lifecycle, unknown, unknown>,
  host: Host,
  { present = (tasks) => tasks.map(taskOnWire), presentMove, complete = (fields) => fields }: Erased,
): Record<TaskRouteKind, Verb> {
  const presentOne: Context["presentOne"] = async (task, shown) =>
    (await present([task], shown))[0] ?? notFound(task.id);
  const context = { ...host, lifecycle: lifecycle.name, project, present, presentOne };
  const findsExisting = table[names.create ?? ""]?.replies[200] !== undefined;
  const verbs = {
    ...readingVerbs(context),
    ...creatingVerbs(context, { complete, findsExisting }),
    ...workingVerbs(context, presentMove),
  };
  return verbs as unknown as Record<TaskRouteKind, Verb>;
}

function readingVerbs({ engine, directory, lifecycle, project, present, presentOne }: Context) {
  return {
    list: async ({ caller, query }: ListCall) => {
      const { [project]: project_id, assigned_to, ...asked } = query;
      const filter = { ...asked, project_id, assigned_to: assignee(caller, assigned_to), lifecycle };
      const { tasks, cursor } = await engine.list(caller, defined(filter) as TaskQuery);
      const unknown =
        tasks.length > 0 ? null : await projectRefusal(directory, caller, project_id as string | undefined);
      if (unknown) return unknown;
      return answer(200, { tasks: await present(tasks, { caller, replayed: false }), cursor });
    },
    get: async ({ caller, params: { id } }: TaskCall) => {
      const task = await engine.find(caller, id);
      if (isRefusal(task)) return task;
      if (task.lifecycle !== lifecycle) return notFound(id);
      const shape = await presentOne(task, { caller, replayed: false });
      return isRefusal(shape) ? shape : answer(200, shape, { row_version: versionOf(shape, task) });
    },
  };
}

function creatingVerbs(
  { engine, lifecycle, project, present, presentOne }: Context,
  { complete, findsExisting }: Required<Pick<Erased, "complete">> & { findsExisting: boolean },
) {
  const create = async (caller: Caller, sent: readonly JsonObject[], client_event_id: string | null) => {
    const creations = sent.map(async ({ [project]: project_id, ...fields }) => ({
      ...(await complete(fields, caller)),
      lifecycle,
      project_id,
    }));
    return createTasks(engine, caller, (await Promise.all(creations)) as SentCreation[], client_event_id);
  };
  return {
    create: async ({ caller, body: { client_event_id: _, ...sent }, client_event_id }: BodyCall) => {
      const done = await create(caller, [sent], client_event_id);
      if (isRefusal(done)) return done;
      const { replayed, existing } = done;
      const [task] = done.tasks as [PublicTask];
      const shape = await presentOne(task, { caller, replayed });
      if (isRefusal(shape)) return shape;
      const status = existing[0] && findsExisting ? 200 : 201;
      return answer(status, shape, { row_version: versionOf(shape, task), replayed });
    },
    batch: async ({ caller, body, client_event_id }: BodyCall) => {
      const tasks = body.tasks as JsonObject[];
      const sent = tasks.map((one) => ({ ...one, [project]: one[project] ?? body[project] }));
      const done = await create(caller, sent, client_event_id);
      if (isRefusal(done)) return done;
      const { replayed } = done;
      return answer(201, { tasks: await present(done.tasks, { caller, replayed }) }, { replayed });
    },
  };
}

function workingVerbs(context: Context, presentMove: Erased["presentMove"]) {
  const { engine, directory, lifecycle, project, present, presentOne } = context;
  const showMove =
    presentMove ??
    (async ({ task, event, replayed }: Performed, caller: Caller) => {
      const shape = await presentOne(task, { caller, replayed });
      return isRefusal(shape) ? shape : { task: shape, event: event && eventOnWire(event) };
    });
  return {
    move: async (call: TaskCall & BodyCall) => {
      const { caller, params, body } = call;
      const request = performRequest(params.id, body as Parameters<typeof performRequest>[1], call);
      const done = await engine.perform(caller, { ...request, lifecycle });
      if (isRefusal(done)) return done;
      const shape = await showMove(done, caller);
      const { task, replayed } = done;
      return isRefusal(shape) ? shape : answer(200, shape, { row_version: task.row_version, replayed });
    },
    claim: async ({ caller, body, client_event_id, signal }: BodyCall) => {
      const found = await directory.project(caller, (body[project] as string | null | undefined) ?? "main");
      if (isRefusal(found)) return found;
      const { limit, wait_seconds, filter } = body as ClaimBody;
      const fields = filter?.fields ?? null;
      const request = { lifecycle, project_id: found.id, limit, fields, client_event_id };
      const claimed = await longPollClaim(context, caller, request, {
        waitMs: wait_seconds * 1_000,
        signal,
      });
      if (isRefusal(claimed)) return claimed;
      const { tasks: taken, replayed } = claimed;
      const shape = await present(
        taken.map(({ task }) => task),
        { caller, replayed },
      );
      const tasks = shape.map((task, at) => ({ ...task, lease_token: taken[at]?.lease_token ?? null }));
      return answer(200, { tasks }, { replayed });
    },
  };
}

/** Prefers the version in the shape, which may have been read later than the task. */
function versionOf({ row_version }: JsonObject, task: PublicTask): number {
  return typeof row_version === "number" ? row_version : task.row_version;
}

type ClaimBody = {
  limit: number;
  wait_seconds: number;
  filter?: { fields?: Record<string, string[]> } | null;
};
type AnyCall = Omit<Call, "caller" | "params" | "query" | "body"> & { caller: Caller };
type ListCall = AnyCall & { query: JsonObject & { assigned_to?: string } };
type TaskCall = AnyCall & { params: { id: string } };
type BodyCall = AnyCall & { body: JsonObject };
