import { z } from "zod";
import { creationPermission, PawlError, permissionOf } from "../core/index.ts";
import type { JsonObject, Lifecycle } from "../core/index.ts";
import {
  givenMoment,
  id,
  nextCursor,
  once,
  page,
  poolFields,
  projectId,
  text,
  transition,
} from "./fields.ts";
import type { Route, RouteTable } from "./route.ts";
import { event as anyEvent, task as anyTask } from "./task.ts";

/** Maximum tasks per request. */
export const MAX_BATCH = 500;

export const COMMON_MOVE_REFUSALS = [
  "TASK_NOT_FOUND",
  "INVALID_TRANSITION",
  "VERSION_CONFLICT",
  "LEASE_LOST",
] as const;

/** The task routes that a lifecycle can have. */
export type TaskRouteKind = "list" | "create" | "batch" | "get" | "move" | "claim";

/** The routes to create, each with the fields of its row that differ from the default. */
type RouteChoice = Readonly<Partial<Record<TaskRouteKind, Partial<Omit<Route, "method" | "path">>>>>;
type All = Record<TaskRouteKind, object>;

type TypesOf<L> = L extends { readonly types?: infer T } ? NonNullable<T> : never;
type StatusOf<L> = TypesOf<L> extends { status: infer S extends string } ? S : string;
type ActionOf<L> = TypesOf<L> extends { actions: infer A } ? keyof A & string : string;
type CreationOf<L> = TypesOf<L> extends { creation: infer C } ? C : JsonObject;

/** The fields of a creation: the lifecycle's own, the project, and the moment from which the task can be claimed. */
type UsualCreation<L> = z.ZodType<JsonObject, CreationOf<L> & UsualFields>;
type UsualFields = { project_id?: string | null | undefined; available_at?: string | null | undefined };

type Options<L, Prefix, Noun, Project, T, E, C, Routes> = {
  lifecycle: L;
  /** `/api/orders` creates `/api/orders/tasks` and the routes below it. */
  prefix: Prefix;
  /** The shape of a task in answers; by default that of `GET /api/tasks/{id}`. */
  task?: T;
  /** The shape of a journal row in answers; by default that of `GET /api/tasks/{id}/events`. */
  event?: E;
  /** The fields of a creation; by default those of the lifecycle, `project_id` and `available_at`. */
  creation?: C & z.ZodObject;
  /** The word for a task in paths and names; default `task`. */
  noun?: Noun;
  /** The name of the project's field in queries and bodies; default `project_id`. */
  project?: Project;
  /** The routes to create; default all. */
  routes?: Routes;
};

/** A table of task routes with the information that `serveTaskRoutes` needs. */
export type TaskRoutes<Table extends RouteTable, L extends Lifecycle, Task, Event> = {
  readonly table: Table;
  readonly lifecycle: L;
  /** The field that names the project. */
  readonly project: string;
  /** The names of the rows in the table, by kind. */
  readonly names: Readonly<Partial<Record<TaskRouteKind, string>>>;
  /** The kinds whose answers have a custom shape. */
  readonly reshaped: ReadonlySet<TaskRouteKind>;
  /** Only for the type checker. */
  readonly types?: { task: Task; event: Event };
};

/**
 * Describes the routes of a lifecycle's tasks: list, create, batch, get, move and claim. `serveTaskRoutes` serves them. The OpenAPI
 * document and the docs read the table, and so can a client: `client.calls(orders.table)`.
 *
 *     const orders = taskRoutes({ prefix: "/api/orders", lifecycle: order, task: orderShape });
 *     // for the lifecycle `order`: listOrderTasks, createOrderTask, createOrderTasks, getOrderTask, moveOrderTask, claimOrderTasks
 *
 * The fields of a creation are parsed twice, by the route and by the engine, so a transformation in them must be idempotent.
 * Throws INVALID_LIFECYCLE for `claim` of a lifecycle without a pool.
 */
export function taskRoutes<
  L extends Lifecycle,
  const Prefix extends `/${string}`,
  T extends z.ZodObject = typeof anyTask,
  E extends z.ZodType = typeof anyEvent,
  C extends z.ZodType = UsualCreation<L>,
  const Noun extends string = "task",
  const Project extends string = "project_id",
  const Routes extends RouteChoice = All,
>(
  options: Options<L, Prefix, Noun, Project, T, E, C, Routes>,
): TaskRoutes<TableOf<L, Prefix, T, E, C, Noun, Project, Routes>, L, z.output<T>, z.output<E>> {
  const { lifecycle, prefix, noun = "task" as Noun, project = "project_id" as Project } = options;
  const { routes = { list: {}, create: {}, batch: {}, get: {}, move: {}, claim: {} } as RouteChoice } =
    options;
  const rows = usualRows<L, T, E, C, Project>({
    lifecycle,
    project,
    task: options.task ?? (anyTask as unknown as T),
    event: options.event ?? (anyEvent as unknown as E),
    creation: options.creation ?? (usualCreation(lifecycle) as unknown as C),
  });
  const kinds = Object.keys(routes) as TaskRouteKind[];
  if (kinds.includes("claim") && !lifecycle.pool)
    throw new PawlError("INVALID_LIFECYCLE", `${lifecycle.name} has no pool. Remove the route "claim".`);
  const names = namesOf(pascal(lifecycle.name), pascal(noun));
  const paths = pathsOf(prefix, noun);
  const table = Object.fromEntries(
    kinds.map((kind) => [names[kind], { ...rows[kind], path: paths[kind], ...routes[kind] }]),
  );
  return {
    // Only the types know the names of the rows.
    table: table as unknown as TableOf<L, Prefix, T, E, C, Noun, Project, Routes>,
    lifecycle,
    project,
    names: Object.fromEntries(kinds.map((kind) => [kind, names[kind]])),
    reshaped: new Set(kinds.filter((kind) => routes[kind]?.replies !== undefined)),
  };
}

function pathsOf<Prefix extends string, Noun extends string>(prefix: Prefix, noun: Noun) {
  return {
    list: `${prefix}/${noun}s`,
    create: `${prefix}/${noun}s`,
    batch: `${prefix}/${noun}s/batch`,
    get: `${prefix}/${noun}s/{id}`,
    move: `${prefix}/${noun}s/{id}/transitions`,
    claim: `${prefix}/claims`,
  } as const;
}

function namesOf<Name extends string, Noun extends string>(name: Name, noun: Noun) {
  return {
    list: `list${name}${noun}s`,
    create: `create${name}${noun}`,
    batch: `create${name}${noun}s`,
    get: `get${name}${noun}`,
    move: `move${name}${noun}`,
    claim: `claim${name}${noun}s`,
  } as const;
}

type Names<L extends Lifecycle, Noun extends string> = ReturnType<
  typeof namesOf<Pascal<L["name"]>, Pascal<Noun>>
>;

type Pascal<Name extends string> = Name extends `${infer Head}${"-" | "_"}${infer Rest}`
  ? `${Capitalize<Head>}${Pascal<Rest>}`
  : Capitalize<Name>;

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[-_])(.)/g, (_, first: string) => first.toUpperCase());
}

type TableOf<
  L extends Lifecycle,
  Prefix extends string,
  T extends z.ZodObject,
  E extends z.ZodType,
  C extends z.ZodType,
  Noun extends string,
  Project extends string,
  Routes extends RouteChoice,
> = {
  readonly [Kind in keyof Routes & TaskRouteKind as Names<L, Noun>[Kind]]: Row<
    UsualRows<L, T, E, C, Project>[Kind],
    Routes[Kind],
    ReturnType<typeof pathsOf<Prefix, Noun>>[Kind]
  >;
};

/** The default row with some fields replaced. */
type Row<Usual, Own, Path> = Omit<Usual, keyof Own> & Own & { readonly path: Path } extends infer R extends
  Route
  ? R
  : never;

type UsualRows<
  L extends Lifecycle,
  T extends z.ZodObject,
  E extends z.ZodType,
  C extends z.ZodType,
  Project extends string,
> = ReturnType<typeof usualRows<L, T, E, C, Project>>;

/** The parts from which the rows are built. */
type Parts<L, T, E, C, Project> = { lifecycle: L; project: Project; task: T; event: E; creation: C };

/** The rows without their paths. */
function usualRows<
  L extends Lifecycle,
  T extends z.ZodObject,
  E extends z.ZodType,
  C extends z.ZodType,
  Project extends string,
>(parts: Parts<L, T, E, C, Project>) {
  return { ...readingRows(parts), ...creatingRows(parts), ...workingRows(parts) };
}

function readingRows<L extends Lifecycle, T extends z.ZodObject, Project extends string>({
  lifecycle,
  project,
  task,
}: Pick<Parts<L, T, never, never, Project>, "lifecycle" | "project" | "task">) {
  const reads = { method: "GET", group: lifecycle.name } as const;
  const status = z.enum(Object.keys(lifecycle.statuses) as [StatusOf<L>]);
  return {
    list: {
      ...reads,
      summary: "The tasks you may see, oldest first",
      query: z.object({
        ...({ [project]: id.optional() } as Record<Project, z.ZodOptional<typeof id>>),
        status: z.array(status).max(100).optional(),
        q: text.max(200).optional().describe("part of a title"),
        ...page,
        cursor: z.uuid().optional().describe("`cursor` of the previous page"),
      }),
      replies: { 200: z.object({ tasks: z.array(task), cursor: nextCursor }) },
      refusals: ["NOT_FOUND"],
    },
    get: {
      ...reads,
      summary: "A task",
      replies: { 200: task },
      refusals: ["TASK_NOT_FOUND"],
    },
  } as const;
}

const writes = { method: "POST", idempotent: true, ruled: true } as const;

function creatingRows<T extends z.ZodObject, C extends z.ZodType, Project extends string>({
  lifecycle,
  project,
  task,
  creation,
}: Pick<Parts<Lifecycle, T, never, C, Project>, "lifecycle" | "project" | "task" | "creation">) {
  const creates = {
    ...writes,
    group: lifecycle.name,
    permission: creationPermission(lifecycle),
    refusals: ["NOT_FOUND", "CYCLIC_DEPENDENCY"],
  } as const;
  // The type of `extend` on a generic shape.
  type With<Field extends string> = z.ZodType<
    z.output<C>,
    z.input<C> & Partial<Record<Field, string | null | undefined>>
  >;
  const own = creation as unknown as z.ZodObject;
  const named = own.extend({ ref: id.nullish() }) as unknown as With<"ref">;
  return {
    create: {
      ...creates,
      summary: "Create a task",
      body: own.extend(once) as unknown as With<"client_event_id">,
      replies: { 201: task },
    },
    batch: {
      ...creates,
      summary: "Create many tasks, all or none",
      about: "`ref` names a task within the request; `blocked_by` accepts ids and refs.",
      body: z.object({ ...inProject(project), tasks: z.array(named).min(1).max(MAX_BATCH), ...once }),
      replies: { 201: z.object({ tasks: z.array(task) }) },
    },
  } as const;
}

function workingRows<
  L extends Lifecycle,
  T extends z.ZodObject,
  E extends z.ZodType,
  Project extends string,
>({ lifecycle, project, task, event }: Omit<Parts<L, T, E, never, Project>, "creation">) {
  const works = { ...writes, group: lifecycle.name } as const;
  const leased = task.extend({ lease_token: z.string().nullable() }) as unknown as z.ZodType<
    z.output<T> & { lease_token: string | null }
  >;
  return {
    move: {
      ...works,
      permission: { named_in: "body" },
      summary: "Perform an action",
      versioned: true,
      body: z.object({
        ...transition,
        action: transition.action as z.ZodType<string> as z.ZodType<string, ActionOf<L>>,
      }),
      replies: { 200: z.object({ task, event: event.nullable() }) },
      refusals: COMMON_MOVE_REFUSALS,
    },
    claim: {
      ...works,
      permission: permissionOf(lifecycle, lifecycle.pool?.action ?? ""),
      summary: "Claim the best free tasks",
      body: z.object({
        ...inProject(project),
        limit: z.int().min(1).max(100).default(1),
        filter: z.strictObject({ fields: poolFields }).nullish(),
        wait_seconds: z.number().min(0).max(60).default(0),
        ...once,
      }),
      replies: { 200: z.object({ tasks: z.array(leased) }) },
      refusals: ["NOT_FOUND"],
    },
  } as const;
}

function inProject<Project extends string>(project: Project) {
  return { [project]: projectId } as Record<Project, typeof projectId>;
}

function usualCreation(lifecycle: Lifecycle): z.ZodObject {
  return lifecycle.creation.input.extend({
    project_id: projectId,
    available_at: givenMoment.nullish().describe("the task cannot be claimed before this moment"),
  });
}
