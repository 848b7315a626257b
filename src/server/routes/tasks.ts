import {
  eventOnWire,
  movedOnWire,
  onWire,
  onWireOrNull,
  problemDocument,
  TASK_ROUTES,
  taskOnWire,
} from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Directory, Engine, Links, Performed } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import {
  actionRefusal,
  creationRefusal,
  creationsRefusal,
  unknownLifecycle,
} from "../auth/body-permission.ts";
import { problemOfError } from "../routing/problem-reply.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { BodyCheck, RouteSet, Verb } from "../routing/route-set.ts";
import { memberRefusal, projectRefusal } from "./filter-refusals.ts";
import { assignee, createTasks, performRequest } from "./task-calls.ts";

type Log = { error(about: object, message: string): void };
type TaskDeps = { engine: Engine; directory: Directory; own: OwnProblems; log: Log };

/** Routes for tasks of every lifecycle. */
export function serveTasks(deps: TaskDeps): RouteSet {
  const { engine, directory } = deps;
  const { lifecycles } = engine.registry;
  return serve(
    TASK_ROUTES,
    {
      createTask: async ({ caller, body: { client_event_id: _, ...sent }, client_event_id }) => {
        const unknown = unknownLifecycle(lifecycles, sent.lifecycle);
        if (unknown) return unknown;
        const made = await createTasks(engine, caller, [sent], client_event_id);
        if (isRefusal(made)) return made;
        const [task] = made.tasks as [Performed["task"]];
        const { row_version } = task;
        const status = made.existing[0] ? 200 : 201;
        return answer(status, taskOnWire(task), { row_version, replayed: made.replayed });
      },
      createTasks: async ({ caller, body: { tasks }, client_event_id }) => {
        for (const { lifecycle } of tasks) {
          const unknown = unknownLifecycle(lifecycles, lifecycle);
          if (unknown) return unknown;
        }
        const made = await createTasks(engine, caller, tasks, client_event_id);
        if (isRefusal(made)) return made;
        return answer(201, { tasks: made.tasks.map(taskOnWire) }, { replayed: made.replayed });
      },
      listTasks: async ({ caller, query }) => {
        const wrongName = await engine.unknownName(query);
        if (wrongName) return wrongName;
        const members = {
          assigned_to: assignee(caller, query.assigned_to),
          held_by: assignee(caller, query.held_by),
        };
        const { tasks, ...page } = await engine.list(caller, defined({ ...query, ...members }));
        // Only an empty list can be the result of a wrong project or member.
        const unknown =
          tasks.length > 0
            ? null
            : ((await projectRefusal(directory, caller, query.project_id)) ??
              (await memberRefusal(directory, caller, members.assigned_to)) ??
              (await memberRefusal(directory, caller, members.held_by)));
        return unknown ?? answer(200, { tasks: tasks.map(taskOnWire), ...page });
      },
      getTask: async ({ caller, params: { id } }) => {
        const task = await engine.find(caller, id);
        if (isRefusal(task)) return task;
        return answer(200, taskOnWire(task), { row_version: task.row_version });
      },
      listTaskEvents: async ({ caller, params: { id }, query }) => {
        const events = await engine.events(caller, id, query);
        return isRefusal(events) ? events : answer(200, { events: events.map(eventOnWire) });
      },
      explainTask: async ({ caller, params: { id } }) => {
        const actions = await engine.explain(caller, id);
        return isRefusal(actions) ? actions : answer(200, { actions });
      },
      getTaskLinks: async ({ caller, params: { id } }) => {
        const links = await engine.links(caller, id);
        return isRefusal(links) ? links : answer(200, linksOnWire(links));
      },
      getGraph: async ({ caller, query }) =>
        (await engine.unknownName(query)) ??
        (await projectRefusal(directory, caller, query.project_id)) ??
        answer(200, await engine.graph(caller, defined(query))),
      moveTask: async ({ caller, params: { id }, body, client_event_id, expected_row_version }) => {
        const request = performRequest(id, body, { client_event_id, expected_row_version });
        const done = await engine.perform(caller, request);
        if (isRefusal(done)) return done;
        const { task, replayed } = done;
        return answer(200, movedOnWire(done), { row_version: task.row_version, replayed });
      },
      moveTasks: moveAll(deps),
    },
    {
      createTask: ({ caller, body }) => creationRefusal(lifecycles, caller, body),
      createTasks: ({ caller, body }) => creationsRefusal(lifecycles, caller, body),
      moveTask: moveCheck(engine),
    },
  );
}

/** Performs each action on its own: a refused one does not undo the others. */
function moveAll({ engine, own, log }: TaskDeps): Verb<typeof TASK_ROUTES.moveTasks> {
  return async ({ caller, body, client_event_id: key }) => {
    const requests = body.map((asked, index) => {
      const { client_event_id = null, expected_row_version = null } = asked;
      const derived = key === null ? null : `${key}.${index}`;
      return performRequest(asked.id, asked, {
        client_event_id: client_event_id ?? derived,
        expected_row_version,
      });
    });
    const done = await Promise.all(
      requests.map((request) =>
        engine.perform(caller, request).catch((error: unknown) => failed(error, log)),
      ),
    );
    const [first] = done;
    if (first && done.every((one) => "code" in one && one.code === "UNAVAILABLE")) return first as Refusal;
    const replayed = done.every((one) => one.kind === "performed" && one.replayed);
    const answerOf = (one: Performed | Refusal) =>
      isRefusal(one) ? problemDocument(one, { own }) : movedOnWire(one);
    return answer(200, done.map(answerOf), { replayed });
  };
}

/** Turns an error into a refusal, so that the other actions still get their answers. */
function failed(error: unknown, log: Log): Refusal {
  const { code, detail, params = {}, fault } = problemOfError(error);
  if (fault) log.error({ err: error }, "one action of a batch failed");
  return refuse(code, detail, params);
}

function linksOnWire(links: Links) {
  return { ...links, holds: links.holds.map(holdOnWire) };
}

function holdOnWire({ placed_at, released_at, ...hold }: Links["holds"][number]) {
  return { ...hold, placed_at: onWire(placed_at), released_at: onWireOrNull(released_at) };
}

/** Checks the permission if the body is invalid; for a valid one the engine checks it, as it reads the task anyway. */
function moveCheck(engine: Engine): BodyCheck {
  return async ({ caller, params: { id = "" }, body, invalid }) => {
    if (!invalid) return null;
    const task = await engine.find(caller, id);
    const lifecycle = isRefusal(task) ? undefined : engine.registry.lifecycles.get(task.lifecycle);
    return lifecycle ? actionRefusal(lifecycle, caller, body) : null;
  };
}
