import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import type { Reply } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { PlannerServer, Who } from "./planner-server.ts";

const server = await startPlannerServer({ maxConnections: 20 });
const otherNode = await startPlannerServer({ sameDatabaseAs: server, maxConnections: 20 });
const { sql } = server;

const EXECUTORS: Who[] = ["bob", "cat", "eve", "tom"];
const LEADS: Who[] = ["lea", "sue", "tom"];
const ids: string[] = [];

/** A node, a task as it was a moment ago, and the people; `dice` decides the details of an action. */
type Scene = { node: PlannerServer; task: PlannerTask; executor: Who; lead: Who; dice: number };
type Action = (scene: Scene) => Promise<Reply | null>;

const act =
  (by: "executor" | "lead" | "owner" | "rob", action: string, payload: JsonObject = {}): Action =>
  ({ node, task, ...people }) => {
    const who = by === "rob" ? by : by === "owner" ? (task.assigned_to as Who | null) : people[by];
    return node.move(who ?? "cat", task.id, action, payload, { expected_row_version: task.row_version });
  };

const ACTIONS = {
  create: async ({ node, lead, dice }) => {
    const depends_on = ids.slice(-(dice % 3) - 1).slice(0, dice % 3);
    const made = await node.send(lead, "POST /tasks", { title: "Any", depends_on });
    if (made.status === 201) ids.push((made.body as PlannerTask).id);
    return made;
  },
  claim: ({ node, executor }) => node.send(executor, "POST /claims", {}),
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
  shiftRelease: act("rob", "shift_release"),
  escalate: act("owner", "escalate", { reason: "tools" }),
  hold: ({ node, task, lead }) =>
    node.send(lead, `POST /tasks/${task.id}/holds`, { kind: "materials", reason: "r" }),
  release: ({ node, task: { id, holds }, lead }) =>
    node.send(lead, `DELETE /tasks/${id}/holds/${holds[0]?.id ?? "none"}`),
  invite: ({ node, task, lead }) =>
    node.send(lead, `POST /tasks/${task.id}/contributors`, { member_id: "dan" }),
  unlink: ({ node, task: { id, depends_on }, lead }) =>
    node.send(lead, `DELETE /tasks/${id}/depends_on/${depends_on[0] ?? "none"}`),
  remove: ({ node, task: { id, row_version }, lead }) =>
    node.send(lead, `DELETE /tasks/${id}`, undefined, { "if-match": `"${row_version}"` }),
  plan: ({ node, executor, dice }) => {
    const [starts_at, ends_at] = [-60_000, 20 + (dice % 400)].map((ms) =>
      new Date(Date.now() + ms).toISOString(),
    );
    return node.send("lea", "POST /shifts", { starts_at, ends_at, members: [executor] });
  },
  end: async ({ node }) => {
    const { body } = await node.send("lea", "GET /shifts?running=true&limit=1");
    const [shift] = body.shifts as { id: string }[];
    return shift ? node.send("lea", `POST /shifts/${shift.id}/end`, {}) : null;
  },
  sweep: async ({ node }) => (await node.engine.sweep(), null),
} satisfies Record<string, Action>;

/** Actions that fit each status; other actions come from actors with an outdated view. */
const FITTING: Record<PlannerTask["status"], (keyof typeof ACTIONS)[]> = {
  blocked: ["unlink", "unlink", "hold", "release", "release", "unblock", "remove"],
  available: ["claim", "take", "assign", "take", "assign", "cancel", "remove", "hold"],
  assigned: [
    "start",
    "start",
    "start",
    "plan",
    "recall",
    "hold",
    "release",
    "invite",
    "shiftRelease",
    "cancel",
  ],
  in_progress: [
    "submit",
    "submit",
    "submit",
    "submit",
    "recall",
    "hold",
    "release",
    "escalate",
    "shiftRelease",
    "end",
    "sweep",
  ],
  submitted: ["approve", "approve", "approve", "reject", "rejectAndFix", "release", "cancel"],
  done: ["create", "claim"],
  canceled: ["create", "claim"],
};
const ANYWHERE = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

const BREACHES = `
  select t.id from pawl.task t
  where t.lifecycle = 'planner' and t.status = 'available' and (
      t.assigned_to is not null or t.open_blockers <> 0 or t.open_holds <> 0 or t.final or not t.pooled
      or t.exclusive_key is not null or t.data -> 'contributors' <> '[]'
      or exists (select from pawl.hold h where h.task_id = t.id and h.released_at is null)
      or exists (select from pawl.dependency d join pawl.task b on b.id = d.blocker_id
                 where d.task_id = t.id and (not d.resolved or b.status <> 'done')))
    or t.status in ('assigned', 'in_progress', 'submitted') and t.assigned_to is null
    or t.exclusive_key is not null and t.status not in ('assigned', 'in_progress')`;

test("random concurrent actions never break the guarantee of available tasks", async () => {
  let [checks, broken] = [0, 0];
  const watch = { running: true };
  // Checks the guarantee all the time, each time in one snapshot.
  const watching = (async () => {
    for (; watch.running; checks++) {
      broken += (await sql.unsafe(BREACHES)).length;
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
    const node = near ? server : otherNode;
    const people = { executor: EXECUTORS[who % 4]!, lead: LEADS[who % 3]!, dice };
    // Few tasks are chosen, so that actors compete for them; every second time the executor's own task.
    const id = ids.at(-1 - (place % Math.max(1, Math.min(ids.length, 12))));
    const mine = `GET /tasks?assigned_to=${people.executor}&status=assigned,in_progress`;
    const ownTask =
      dice % 2 === 0 ? ((await node.send("lea", mine)).body.tasks as PlannerTask[])[0] : undefined;
    const task = ownTask ?? (id === undefined ? null : await node.get(id).catch(() => null));
    const choices = task === null || dice % 5 === 0 ? ANYWHERE : FITTING[task.status];
    const action = ids.length < 6 ? "create" : choices[pick % choices.length]!;
    return ACTIONS[action]({ node, task: task ?? NOTHING, ...people });
  };
  await Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      for (const one of steps.filter((__, index) => index % 12 === lane)) {
        const reply = await run(one);
        if (reply) expect(reply.status, reply.text).toBeLessThan(500);
      }
    }),
  );
  watch.running = false;
  await watching;
  expect(broken).toBe(0);
  expect(checks).toBeGreaterThan(20);
  const done = await sql<
    { action: string }[]
  >`select distinct action from pawl.event where lifecycle = 'planner'`;
  expect(done.length, "most actions happened").toBeGreaterThan(10);
  expect((await server.engine.verify("main")).differences).toEqual([]);
  const { broken: breaches, repaired } = await server.engine.reconcile("main");
  expect([breaches, repaired]).toEqual([[], []]);
});

const NOTHING = {
  id: "0197a000-0000-7000-8000-000000000001",
  row_version: 1,
  assigned_to: null,
  holds: [],
  depends_on: [],
} as unknown as PlannerTask;
