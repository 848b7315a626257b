import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask, PlannerTransition } from "../../../src/lifecycles/planner/api.ts";
import { startTestServer, bodyOf } from "../../http/test-server.ts";
import type { TestServer, Reply } from "../../http/test-server.ts";

/** The members, by id. */
export const CREW = {
  lea: { roles: ["lead"] },
  sue: { roles: ["supervisor"] },
  bob: { roles: ["executor"], skill_level: 5, specializations: ["welder"] },
  cat: { roles: ["executor"], skill_level: 9, specializations: ["welder", "painter"] },
  dan: { roles: ["executor"], skill_level: 2, specializations: ["welder"] },
  eve: { roles: ["executor"], skill_level: 5, specializations: ["painter"] },
  /** An executor and a lead. */
  tom: { roles: ["executor", "lead"], skill_level: 9, specializations: ["welder"] },
  rob: { roles: ["system"], kind: "service" as const },
  vic: { roles: ["viewer"] },
  adam: { roles: ["admin"] },
  // A role of another lifecycle, and no role.
  wes: { roles: ["worker"] },
  nel: { roles: [] },
};
export type Who = keyof typeof CREW;

export type PlannerServer = TestServer & {
  tokens: Record<Who, string>;
  /** Sends a request, such as `send("bob", "GET /pool")`, below /api/planner; a body without a key gets one. */
  send: (who: Who, what: string, body?: JsonObject, headers?: Record<string, string>) => Promise<Reply>;
  /** Creates a task as lea. */
  make: (fields?: JsonObject) => Promise<PlannerTask>;
  get: (id: string) => Promise<PlannerTask>;
  log: (id: string) => Promise<PlannerTransition[]>;
  /** Performs an action, by default with the current version and a new key; returns the whole reply. */
  move: (who: Who, id: string, action: string, payload?: JsonObject, how?: JsonObject) => Promise<Reply>;
  /** Performs an action; returns the new status, or the code of the problem. */
  act: (who: Who, id: string, action: string, payload?: JsonObject, how?: JsonObject) => Promise<string>;
  /** Creates a task and moves it to a status; bob owns it if it has an owner. */
  taskIn: (status: string, fields?: JsonObject) => Promise<PlannerTask>;
  /** Cancels all tasks that are assigned to a member. */
  free: (who: Who) => Promise<void>;
};

/** Starts a server with the members of CREW. */
export async function startPlannerServer(
  options: Parameters<typeof startTestServer>[0] & { sameDatabaseAs?: PlannerServer } = {},
): Promise<PlannerServer> {
  const server = await startTestServer(options);
  const { sameDatabaseAs } = options;
  const tokens = sameDatabaseAs?.tokens ?? ({} as Record<Who, string>);
  if (!sameDatabaseAs)
    for (const [id, member] of Object.entries(CREW))
      tokens[id as Who] = await server.member({ id, ...member });

  const send: PlannerServer["send"] = (who, what, body, headers = {}) => {
    const [method = "", path = ""] = what.split(" ");
    const keyed = method === "DELETE" && !("idempotency-key" in headers);
    return server.ask(`${method} /api/planner${path}`, {
      token: tokens[who],
      ...(body === undefined ? {} : { body: { client_event_id: randomUUID(), ...body } }),
      headers: keyed ? { "idempotency-key": randomUUID(), ...headers } : headers,
    });
  };
  const make: PlannerServer["make"] = async (fields = {}) =>
    bodyOf<PlannerTask>(201, await send("lea", "POST /tasks", { title: "Weld the frame", ...fields }));
  const get: PlannerServer["get"] = async (id) =>
    bodyOf<PlannerTask>(200, await send("lea", `GET /tasks/${id}`));
  const move: PlannerServer["move"] = async (who, id, action, payload = {}, how = {}) => {
    const expected_row_version =
      "expected_row_version" in how ? how.expected_row_version : (await get(id)).row_version;
    return send(who, `POST /tasks/${id}/transitions`, { action, payload, ...how, expected_row_version });
  };
  const act: PlannerServer["act"] = async (...args) => {
    const { status, body } = await move(...args);
    return status === 200 ? (body.task as PlannerTask).status : String(body.code);
  };
  const must = async (...args: Parameters<typeof move>) => bodyOf(200, await move(...args));
  const free: PlannerServer["free"] = async (who) => {
    const mine = await send("lea", `GET /tasks?assigned_to=${who}&status=assigned,in_progress`);
    for (const { id } of mine.body.tasks as PlannerTask[])
      await must("lea", id, "cancel", { reason: "done with" });
  };

  return {
    ...server,
    tokens,
    send,
    make,
    get,
    move,
    act,
    free,
    log: async (id) =>
      bodyOf<{ transitions: PlannerTransition[] }>(200, await send("lea", `GET /tasks/${id}/transitions`))
        .transitions,
    taskIn: async (status, fields = {}) => {
      const blocker = status === "blocked" ? await make({ title: "Comes before" }) : null;
      const { id } = await make(blocker ? { ...fields, depends_on: [blocker.id] } : fields);
      const steps = STEPS[status];
      if (!steps) throw new Error(`no steps to ${status}`);
      if (steps.length > 0) await free("bob");
      for (const [who, action, payload] of steps) await must(who, id, action, payload);
      return get(id);
    },
  };
}

/** The moves that bring a new task to each status. */
const STEPS: Record<string, [Who, string, JsonObject?][]> = {
  blocked: [],
  available: [],
  assigned: [["lea", "assign", { assign_to: "bob" }]],
  in_progress: [
    ["lea", "assign", { assign_to: "bob" }],
    ["bob", "start"],
  ],
  submitted: [
    ["lea", "assign", { assign_to: "bob" }],
    ["bob", "start"],
    ["bob", "submit", { resolution: "as drawn" }],
  ],
  done: [
    ["lea", "assign", { assign_to: "bob" }],
    ["bob", "start"],
    ["bob", "submit", { resolution: "as drawn" }],
    ["lea", "review_approve"],
  ],
  canceled: [["lea", "cancel", { reason: "no longer wanted" }]],
};
