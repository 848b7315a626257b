import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask, PlannerTransition } from "../../../src/lifecycles/planner/api.ts";
import { openFrontDesk, wanted } from "../../http/front-desk.ts";
import type { FrontDesk, Heard } from "../../http/front-desk.ts";

/** Everybody on the floor, by what he is called. */
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
  // A role of another lifecycle, and one who was never given any.
  wes: { roles: ["worker"] },
  nel: { roles: [] },
};
export type Who = keyof typeof CREW;

export type Say = { token?: string; headers?: Record<string, string> };

export type ShopFloor = FrontDesk & {
  tokens: Record<Who, string>;
  /** `say("bob", "GET /pool")`: below /api/planner; a body without a key gets one. */
  say: (who: Who, what: string, body?: JsonObject, headers?: Record<string, string>) => Promise<Heard>;
  /** Creates a task as lea. */
  make: (fields?: JsonObject) => Promise<PlannerTask>;
  get: (id: string) => Promise<PlannerTask>;
  log: (id: string) => Promise<PlannerTransition[]>;
  /** Performs with the present version and a new key, unless told otherwise; the whole answer. */
  move: (who: Who, id: string, action: string, payload?: JsonObject, how?: JsonObject) => Promise<Heard>;
  /** The same in one word: the new status, or the problem's code. */
  act: (who: Who, id: string, action: string, payload?: JsonObject, how?: JsonObject) => Promise<string>;
  /** A new task, brought to a status; bob owns it where somebody does. */
  taskIn: (status: string, fields?: JsonObject) => Promise<PlannerTask>;
  /** Lets go of all that somebody has in hand. */
  free: (who: Who) => Promise<void>;
};

/** A shop floor with its crew. */
export async function openShopFloor(
  options: Parameters<typeof openFrontDesk>[0] & { beside?: ShopFloor } = {},
): Promise<ShopFloor> {
  const desk = await openFrontDesk(options);
  const { beside } = options;
  const tokens = beside?.tokens ?? ({} as Record<Who, string>);
  if (!beside)
    for (const [id, member] of Object.entries(CREW)) tokens[id as Who] = await desk.member({ id, ...member });

  const say: ShopFloor["say"] = (who, what, body, headers = {}) => {
    const [method = "", path = ""] = what.split(" ");
    const keyed = method === "DELETE" && !("idempotency-key" in headers);
    return desk.ask(`${method} /api/planner${path}`, {
      token: tokens[who],
      ...(body === undefined ? {} : { body: { client_event_id: randomUUID(), ...body } }),
      headers: keyed ? { "idempotency-key": randomUUID(), ...headers } : headers,
    });
  };
  const make: ShopFloor["make"] = async (fields = {}) =>
    wanted<PlannerTask>(201, await say("lea", "POST /tasks", { title: "Weld the frame", ...fields }));
  const get: ShopFloor["get"] = async (id) => wanted<PlannerTask>(200, await say("lea", `GET /tasks/${id}`));
  const move: ShopFloor["move"] = async (who, id, action, payload = {}, how = {}) => {
    const expected_row_version =
      "expected_row_version" in how ? how.expected_row_version : (await get(id)).row_version;
    return say(who, `POST /tasks/${id}/transitions`, { action, payload, ...how, expected_row_version });
  };
  const act: ShopFloor["act"] = async (...asked) => {
    const { status, body } = await move(...asked);
    return status === 200 ? (body.task as PlannerTask).status : String(body.code);
  };
  const must = async (...asked: Parameters<typeof move>) => wanted(200, await move(...asked));
  const free: ShopFloor["free"] = async (who) => {
    const mine = await say("lea", `GET /tasks?assigned_to=${who}&status=assigned,in_progress`);
    for (const { id } of mine.body.tasks as PlannerTask[])
      await must("lea", id, "cancel", { reason: "done with" });
  };

  return {
    ...desk,
    tokens,
    say,
    make,
    get,
    move,
    act,
    free,
    log: async (id) =>
      wanted<{ transitions: PlannerTransition[] }>(200, await say("lea", `GET /tasks/${id}/transitions`))
        .transitions,
    taskIn: async (status, fields = {}) => {
      const blocker = status === "blocked" ? await make({ title: "Comes before" }) : null;
      const { id } = await make(blocker ? { ...fields, depends_on: [blocker.id] } : fields);
      const steps = WAYS[status];
      if (!steps) throw new Error(`no way to ${status}`);
      if (steps.length > 0) await free("bob");
      for (const [who, action, payload] of steps) await must(who, id, action, payload);
      return get(id);
    },
  };
}

/** How a task comes into each status. */
const WAYS: Record<string, [Who, string, JsonObject?][]> = {
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
