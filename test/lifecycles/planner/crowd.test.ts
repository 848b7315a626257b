import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import type { Heard } from "../../http/front-desk.ts";
import { openShopFloor } from "./shop-floor.ts";
import type { ShopFloor, Who } from "./shop-floor.ts";

const floor = await openShopFloor({ maxConnections: 20 });
const beside = await openShopFloor({ beside: floor, maxConnections: 20 });
const { sql } = floor;

const EXECUTORS: Who[] = ["bob", "cat", "eve", "tom"];
const LEADS: Who[] = ["lea", "sue", "tom"];
const ids: string[] = [];

/** Somebody at a node, before a task as it was a moment ago; `dice` decides what is left open. */
type Scene = { room: ShopFloor; task: PlannerTask; executor: Who; lead: Who; dice: number };
type Deed = (scene: Scene) => Promise<Heard | null>;

const act =
  (by: "executor" | "lead" | "owner" | "rob", action: string, payload: JsonObject = {}): Deed =>
  ({ room, task, ...people }) => {
    const who = by === "rob" ? by : by === "owner" ? (task.assigned_to as Who | null) : people[by];
    return room.move(who ?? "cat", task.id, action, payload, { expected_row_version: task.row_version });
  };

const DEEDS = {
  create: async ({ room, lead, dice }) => {
    const depends_on = ids.slice(-(dice % 3) - 1).slice(0, dice % 3);
    const made = await room.say(lead, "POST /tasks", { title: "Any", depends_on });
    if (made.status === 201) ids.push((made.body as PlannerTask).id);
    return made;
  },
  claim: ({ room, executor }) => room.say(executor, "POST /claims", {}),
  take: act("executor", "self_assign"),
  assign: ({ executor, ...scene }) => act("lead", "assign", { assign_to: executor })({ executor, ...scene }),
  start: act("owner", "start"),
  submit: act("owner", "submit", { resolution: "r" }),
  approve: act("lead", "review_approve"),
  reject: act("lead", "review_reject", { reason: "r" }),
  rejectAndFix: act("lead", "review_reject", { reason: "r", defect: { description: "d" }, create_fix: true }),
  recall: act("lead", "recall_to_pool", { reason: "r" }),
  cancel: act("lead", "cancel", { reason: "r" }),
  unblock: act("lead", "unblock"),
  letGo: act("rob", "shift_release"),
  escalate: act("owner", "escalate", { reason: "tools" }),
  hold: ({ room, task, lead }) =>
    room.say(lead, `POST /tasks/${task.id}/holds`, { kind: "materials", reason: "r" }),
  release: ({ room, task: { id, holds }, lead }) =>
    room.say(lead, `DELETE /tasks/${id}/holds/${holds[0]?.id ?? "none"}`),
  invite: ({ room, task, lead }) =>
    room.say(lead, `POST /tasks/${task.id}/contributors`, { member_id: "dan" }),
  unlink: ({ room, task: { id, depends_on }, lead }) =>
    room.say(lead, `DELETE /tasks/${id}/depends_on/${depends_on[0] ?? "none"}`),
  remove: ({ room, task: { id, row_version }, lead }) =>
    room.say(lead, `DELETE /tasks/${id}`, undefined, { "if-match": `"${row_version}"` }),
  plan: ({ room, executor, dice }) => {
    const [starts_at, ends_at] = [-60_000, 20 + (dice % 400)].map((ms) =>
      new Date(Date.now() + ms).toISOString(),
    );
    return room.say("lea", "POST /shifts", { starts_at, ends_at, members: [executor] });
  },
  end: async ({ room }) => {
    const { body } = await room.say("lea", "GET /shifts?running=true&limit=1");
    const [shift] = body.shifts as { id: string }[];
    return shift ? room.say("lea", `POST /shifts/${shift.id}/end`, {}) : null;
  },
  sweep: async ({ room }) => (await room.engine.sweep(), null),
} satisfies Record<string, Deed>;

/** What makes sense in each status; the rest is done by those who saw it when it was in another. */
const FITTING: Record<PlannerTask["status"], (keyof typeof DEEDS)[]> = {
  blocked: ["unlink", "unlink", "hold", "release", "release", "unblock", "remove"],
  available: ["claim", "take", "assign", "take", "assign", "cancel", "remove", "hold"],
  assigned: ["start", "start", "start", "plan", "recall", "hold", "release", "invite", "letGo", "cancel"],
  in_progress: [
    "submit",
    "submit",
    "submit",
    "submit",
    "recall",
    "hold",
    "release",
    "escalate",
    "letGo",
    "end",
    "sweep",
  ],
  submitted: ["approve", "approve", "approve", "reject", "rejectAndFix", "release", "cancel"],
  done: ["create", "claim"],
  canceled: ["create", "claim"],
};
const ANYWHERE = Object.keys(DEEDS) as (keyof typeof DEEDS)[];

const LIES = `
  select t.id from pawl.task t
  where t.lifecycle = 'planner' and t.status = 'available' and (
      t.assigned_to is not null or t.open_blockers <> 0 or t.open_holds <> 0 or t.final or not t.pooled
      or t.exclusive_key is not null or t.data -> 'contributors' <> '[]'
      or exists (select from pawl.hold h where h.task_id = t.id and h.released_at is null)
      or exists (select from pawl.dependency d join pawl.task b on b.id = d.blocker_id
                 where d.task_id = t.id and (not d.resolved or b.status <> 'done')))
    or t.status in ('assigned', 'in_progress', 'submitted') and t.assigned_to is null
    or t.exclusive_key is not null and t.status not in ('assigned', 'in_progress')`;

test("random people on many connections leave no moment at which an available task is a lie", async () => {
  let [looks, broken] = [0, 0];
  const watch = { running: true };
  // All the while somebody looks, in one snapshot each time.
  const watching = (async () => {
    for (; watch.running; looks++) {
      broken += (await sql.unsafe(LIES)).length;
      await pause(5);
    }
  })();
  const step = fc.record({
    near: fc.boolean(),
    who: fc.nat(),
    pick: fc.nat(),
    task: fc.nat(),
    dice: fc.nat(),
  });
  const steps = fc.sample(step, { numRuns: 500, seed: 20_261_115 });
  const run = async ({ near, who, pick, task: place, dice }: (typeof steps)[number]) => {
    const room = near ? floor : beside;
    const people = { executor: EXECUTORS[who % 4]!, lead: LEADS[who % 3]!, dice };
    // Few are looked at, so that all meet at them; and with each what its owner has in hand.
    const id = ids.at(-1 - (place % Math.max(1, Math.min(ids.length, 12))));
    const mine = `GET /tasks?assigned_to=${people.executor}&status=assigned,in_progress`;
    const inHand =
      dice % 2 === 0 ? ((await room.say("lea", mine)).body.tasks as PlannerTask[])[0] : undefined;
    const task = inHand ?? (id === undefined ? null : await room.get(id).catch(() => null));
    const deeds = task === null || dice % 5 === 0 ? ANYWHERE : FITTING[task.status];
    const deed = ids.length < 6 ? "create" : deeds[pick % deeds.length]!;
    return DEEDS[deed]({ room, task: task ?? NOTHING, ...people });
  };
  await Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      for (const one of steps.filter((__, index) => index % 12 === lane)) {
        const heard = await run(one);
        if (heard) expect(heard.status, heard.text).toBeLessThan(500);
      }
    }),
  );
  watch.running = false;
  await watching;
  expect(broken).toBe(0);
  expect(looks).toBeGreaterThan(20);
  const done = await sql<
    { action: string }[]
  >`select distinct action from pawl.event where lifecycle = 'planner'`;
  expect(done.length, "most of it happened").toBeGreaterThan(10);
  expect((await floor.engine.verify("main")).differences).toEqual([]);
  const { broken: breaches, repaired } = await floor.engine.reconcile("main");
  expect([breaches, repaired]).toEqual([[], []]);
});

const NOTHING = {
  id: "0197a000-0000-7000-8000-000000000001",
  row_version: 1,
  assigned_to: null,
  holds: [],
  depends_on: [],
} as unknown as PlannerTask;
