import {
  eventOnWire,
  onWire,
  onWireOrNull,
  problemDocument,
  TASK_ROUTES,
  taskOnWire,
} from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Engine, Links, Performed } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import {
  actionRefusal,
  creationRefusal,
  creationsRefusal,
  unknownLifecycle,
} from "../auth/body-permission.ts";
import { toldOf } from "../routing/problem-reply.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { BodyCheck, RouteSet, Verb } from "../routing/route-set.ts";
import { assignee, createTasks, performRequest } from "./task-calls.ts";

type Log = { error(about: object, message: string): void };
type House = { engine: Engine; own: OwnProblems; log: Log };

/** Tasks of every lifecycle. */
export function serveTasks({ engine, own, log }: House): RouteSet {
  const { lifecycles } = engine.registry;
  return serve(
    TASK_ROUTES,
    {
      createTask: async ({ by, body: { client_event_id: _, ...sent }, client_event_id }) => {
        const unknown = unknownLifecycle(lifecycles, sent.lifecycle);
        if (unknown) return unknown;
        const made = await createTasks(engine, by, [sent], client_event_id);
        if (isRefusal(made)) return made;
        const [task] = made.tasks as [Performed["task"]];
        const { row_version } = task;
        const status = made.existing[0] ? 200 : 201;
        return answer(status, taskOnWire(task), { row_version, replayed: made.replayed });
      },
      createTasks: async ({ by, body: { tasks }, client_event_id }) => {
        for (const { lifecycle } of tasks) {
          const unknown = unknownLifecycle(lifecycles, lifecycle);
          if (unknown) return unknown;
        }
        const made = await createTasks(engine, by, tasks, client_event_id);
        if (isRefusal(made)) return made;
        return answer(201, { tasks: made.tasks.map(taskOnWire) }, { replayed: made.replayed });
      },
      listTasks: async ({ by, query }) => {
        const { tasks, cursor } = await engine.list(
          by,
          defined({ ...query, assigned_to: assignee(by, query.assigned_to) }),
        );
        return answer(200, { tasks: tasks.map(taskOnWire), cursor });
      },
      getTask: async ({ by, params: { id } }) => {
        const task = await engine.find(by, id);
        if (isRefusal(task)) return task;
        return answer(200, taskOnWire(task), { row_version: task.row_version });
      },
      listTaskEvents: async ({ by, params: { id }, query }) => {
        const events = await engine.events(by, id, query);
        return isRefusal(events) ? events : answer(200, { events: events.map(eventOnWire) });
      },
      explainTask: async ({ by, params: { id } }) => {
        const actions = await engine.explain(by, id);
        return isRefusal(actions) ? actions : answer(200, { actions });
      },
      getTaskLinks: async ({ by, params: { id } }) => {
        const links = await engine.links(by, id);
        return isRefusal(links) ? links : answer(200, linksOnWire(links));
      },
      getGraph: async ({ by, query }) => answer(200, await engine.graph(by, defined(query))),
      moveTask: async ({ by, params: { id }, body, client_event_id, expected_row_version }) => {
        const request = performRequest(id, body, { client_event_id, expected_row_version });
        const done = await engine.perform(by, request);
        if (isRefusal(done)) return done;
        const { task, replayed } = done;
        return answer(200, movedOnWire(done), { row_version: task.row_version, replayed });
      },
      moveTasks: moveAll({ engine, own, log }),
    },
    {
      createTask: ({ by, body }) => creationRefusal(lifecycles, by, body),
      createTasks: ({ by, body }) => creationsRefusal(lifecycles, by, body),
      moveTask: moveCheck(engine),
    },
  );
}

/** Each action is answered in its place: a refusal of one does not undo the others. */
function moveAll({ engine, own, log }: House): Verb<typeof TASK_ROUTES.moveTasks> {
  return async ({ by, body, client_event_id: key }) => {
    const requests = body.map((asked, place) => {
      const { client_event_id = null, expected_row_version = null } = asked;
      const made = key === null ? null : `${key}.${place}`;
      return performRequest(asked.id, asked, {
        client_event_id: client_event_id ?? made,
        expected_row_version,
      });
    });
    const done = await Promise.all(
      requests.map((request) => engine.perform(by, request).catch((error: unknown) => failed(error, log))),
    );
    const [first] = done;
    if (first && done.every((one) => "code" in one && one.code === "UNAVAILABLE")) return first as Refusal;
    const replayed = done.every((one) => one.kind === "performed" && one.replayed);
    const told = (one: Performed | Refusal) =>
      isRefusal(one) ? problemDocument(one, { own }) : movedOnWire(one);
    return answer(200, done.map(told), { replayed });
  };
}

function movedOnWire({ task, event, outcome, lease_token }: Performed) {
  return {
    task: taskOnWire(task),
    event: event && eventOnWire(event),
    outcome,
    lease_token,
    lease_until: lease_token === null ? null : onWireOrNull(task.lease?.until ?? null),
  };
}

/** Stands in its place among the answers: what became of the others must be told all the same. */
function failed(error: unknown, log: Log): Refusal {
  const { code, detail, params = {}, fault } = toldOf(error);
  if (fault) log.error({ err: error }, "one of many moves failed");
  return refuse(code, detail, params);
}

function linksOnWire(links: Links) {
  return { ...links, holds: links.holds.map(holdOnWire) };
}

function holdOnWire({ placed_at, released_at, ...hold }: Links["holds"][number]) {
  return { ...hold, placed_at: onWire(placed_at), released_at: onWireOrNull(released_at) };
}

/** The lifecycle is that of the task, which the engine reads anyway where the shape is right. */
function moveCheck(engine: Engine): BodyCheck {
  return async ({ by, params: { id = "" }, body, misshapen }) => {
    if (!misshapen) return null;
    const task = await engine.find(by, id);
    const lifecycle = isRefusal(task) ? undefined : engine.registry.lifecycles.get(task.lifecycle);
    return lifecycle ? actionRefusal(lifecycle, by, body) : null;
  };
}
