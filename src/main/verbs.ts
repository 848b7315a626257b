import { claimedOnWire, eventOnWire, movedOnWire, onWire, taskOnWire } from "../api/index.ts";
import { isRefusal } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import type { SomeLifecycle } from "../client/index.ts";
import type { Engine, NewTask, Performed } from "../engine/index.ts";
import { checkCaller, checkOptions, fieldRefusal, listRefusal, throwRefusal } from "./check-arguments.ts";
import type { NewTaskOf, Verbs } from "./typed-verbs.ts";

const TRANSACTION_OPTIONS = ["tx", "arrivals"];
const CALL_OPTIONS = ["client_event_id", ...TRANSACTION_OPTIONS];
const COMMAND = { task_id: "text", action: "text", lifecycle: "text?", client_event_id: "text?" } as const;
const CLAIM = { lifecycle: "text", project_id: "text?", least_priority: "number?" } as const;
const LEASE = { task_id: "text", lease_token: "text" } as const;
const QUERY = {
  lifecycle: "text?",
  status: "texts?",
  project_id: "text?",
  assigned_to: "text?",
  q: "text?",
  label: "texts?",
  sort: "text?",
  cursor: "text?",
} as const;

/** The engine's verbs with answers in the shapes of the typed client: times are ISO 8601 texts. */
export function verbsOf<Known extends SomeLifecycle>(engine: Engine): Verbs<Known> {
  const verbs: Verbs<SomeLifecycle> = {
    create: async (caller, tasks, options) => {
      checkCaller("create", caller);
      checkOptions("create", options, CALL_OPTIONS);
      const invalid = listRefusal(tasks, { lifecycle: "text" }, "tasks");
      if (invalid) return invalid;
      const created = await engine.create(caller, tasks.map(newTask), options);
      return isRefusal(created) ? created : { ...created, tasks: created.tasks.map(taskOnWire) };
    },
    perform: async (caller, request, within) => {
      checkCaller("perform", caller);
      checkOptions("perform", within, TRANSACTION_OPTIONS);
      return fieldRefusal(request, COMMAND) ?? performed(await engine.perform(caller, request, within));
    },
    performMany: async (caller, requests, options) => {
      checkCaller("performMany", caller);
      checkOptions("performMany", options, CALL_OPTIONS);
      throwRefusal(listRefusal(requests, COMMAND, "requests"));
      return (await engine.performMany(caller, requests, options)).map(performed);
    },
    claim: async (caller, request, within) => {
      checkCaller("claim", caller);
      checkOptions("claim", within, TRANSACTION_OPTIONS);
      const invalid = fieldRefusal(request, CLAIM);
      if (invalid) return invalid;
      const claimed = await engine.claim(caller, request, within);
      if (isRefusal(claimed)) return claimed;
      const { tasks, refusal, ...more } = claimed;
      return { ...more, tasks: tasks.map(claimedOnWire), refusal: refusal && reasonOf(refusal) };
    },
    heartbeat: async (caller, leases) => {
      checkCaller("heartbeat", caller);
      throwRefusal(listRefusal(leases, LEASE, "leases"));
      const { extended, lost } = await engine.heartbeat(caller, leases);
      const renewed = extended.map((one) => ({ ...one, lease_until: onWire(one.lease_until) }));
      return { extended: renewed, lost };
    },
    find: async (caller, id) => {
      checkCaller("find", caller);
      const invalid = fieldRefusal({ id }, { id: "text" });
      if (invalid) return invalid;
      const task = await engine.find(caller, id);
      return isRefusal(task) ? task : taskOnWire(task);
    },
    list: async (caller, query = {}) => {
      checkCaller("list", caller);
      throwRefusal(fieldRefusal(query, QUERY));
      const { lifecycle, status } = query;
      throwRefusal(
        await engine.unknownName({ lifecycle: lifecycle ?? undefined, status: status ?? undefined }),
      );
      const { tasks, cursor } = await engine.list(caller, query);
      return { tasks: tasks.map(taskOnWire), cursor };
    },
    events: async (caller, id, page) => {
      checkCaller("events", caller);
      const invalid = fieldRefusal({ id }, { id: "text" });
      if (invalid) return invalid;
      const events = await engine.events(caller, id, page);
      return isRefusal(events) ? events : events.map(eventOnWire);
    },
    explain: async (caller, id) => {
      checkCaller("explain", caller);
      return fieldRefusal({ id }, { id: "text" }) ?? engine.explain(caller, id);
    },
  };
  // At run time names are plain strings; only the types restrict them to the known lifecycles.
  return verbs as unknown as Verbs<Known>;
}

function newTask({ available_at, ...task }: NewTaskOf<SomeLifecycle>): NewTask {
  if (available_at === undefined) return task;
  return {
    ...task,
    available_at: typeof available_at === "string" ? Date.parse(available_at) : available_at,
  };
}

function performed(answer: Performed | Refusal) {
  if (isRefusal(answer)) return answer;
  const { kind, made, replayed } = answer;
  // The fields are added to the answer: copies of answers cost more than building them.
  const shown = Object.assign(movedOnWire(answer), { kind, replayed });
  return made === undefined ? shown : Object.assign(shown, { made });
}

function reasonOf({ code, detail, params }: Refusal): Omit<Refusal, "kind"> {
  return { code, detail, params };
}
