import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { wanted } from "../../http/front-desk.ts";
import { openShopFloor } from "./shop-floor.ts";
import type { Who } from "./shop-floor.ts";

const floor = await openShopFloor();
const { say, act, get, make, free } = floor;

type Pooled = PlannerTask & { can_self_assign: boolean; reasons: { code: string; detail: string }[] };
type Page = { tasks: Pooled[]; cursor: string | null };

let rooms = 0;
/** A project of the test's own, so that its pool is empty. */
async function project(policy?: JsonObject): Promise<string> {
  const id = `hall-${++rooms}`;
  await floor.ask("POST /api/projects", { body: { id } });
  if (policy) wanted(200, await say("sue", `PATCH /projects/${id}/policy`, policy));
  return id;
}

async function pool(who: Who, project_id: string, more = ""): Promise<Page> {
  return wanted<Page>(200, await say(who, `GET /pool?project_id=${project_id}${more}`));
}

describe("the pool", () => {
  test("shows leads and the system all of it, and an executor what is of his trades", async () => {
    const project_id = await project();
    for (const [title, required_trade] of [
      ["weld", "welder"],
      ["paint", "painter"],
      ["sweep", null],
    ] as const)
      await make({ project_id, title, required_trade });
    await make({
      project_id,
      title: "not yet",
      depends_on: [(await make({ project_id, title: "first" })).id],
    });
    const titles = async (who: Who) => (await pool(who, project_id)).tasks.map(({ title }) => title).sort();
    for (const who of ["lea", "sue", "rob", "tom"] as const)
      expect(await titles(who), who).toEqual(["first", "paint", "sweep", "weld"]);
    expect(await titles("bob")).toEqual(["first", "sweep", "weld"]);
    expect(await titles("eve")).toEqual(["first", "paint", "sweep"]);
    expect(await titles("dan"), "his skill is too low").toEqual([]);
    expect((await say("wes", `GET /pool?project_id=${project_id}`)).body.code).toBe("FORBIDDEN");
    expect((await say("bob", "GET /pool?project_id=nowhere")).body.code).toBe("NOT_FOUND");
  });

  test("says of each task whether the caller may take it, and all reasons why not", async () => {
    const project_id = await project();
    const { id } = await make({ project_id, required_trade: "welder" });
    await free("bob");
    const row = async (who: Who) => (await pool(who, project_id)).tasks[0];
    expect(await row("bob")).toMatchObject({ can_self_assign: true, reasons: [], ...(await get(id)) });
    const held = await make();
    await act("bob", held.id, "self_assign");
    expect(await row("bob")).toMatchObject({
      can_self_assign: false,
      reasons: [{ code: "WIP_LIMIT", params: { task_id: held.id } }],
    });
    expect((await row("lea"))?.reasons.map(({ code }) => code)).toEqual([
      "FORBIDDEN",
      "SKILL_TOO_LOW",
      "TRADE_MISMATCH",
    ]);
    await free("bob");
  });

  test("comes best first, then oldest, page by page", async () => {
    const project_id = await project();
    const made: PlannerTask[] = [];
    for (const priority of [0, 5, -3, 5, 0]) made.push(await make({ project_id, priority }));
    const order = [1, 3, 0, 4, 2].map((n) => made[n]!.id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await pool("bob", project_id, `&limit=2&cursor=${cursor}`);
      expect(page.tasks.length).toBeLessThanOrEqual(2);
      seen.push(...page.tasks.map(({ id }) => id));
      cursor = page.cursor;
    }
    expect(seen).toEqual(order);
    expect((await say("bob", "GET /pool?cursor=nonsense")).body.code).toBe("VALIDATION_ERROR");
  });

  test("is that of the caller's projects", async () => {
    const project_id = await project();
    await make({ project_id });
    const token = await floor.member({
      id: "ned",
      roles: ["executor"],
      skill_level: 9,
      project_ids: [project_id],
    });
    const heard = await floor.ask("GET /api/planner/pool", { token });
    expect((heard.body.tasks as PlannerTask[]).map((task) => task.project_id)).toEqual([project_id]);
    expect((await floor.ask("GET /api/planner/pool?project_id=main", { token })).status).toBe(404);
  });
});

describe("a claim", () => {
  test("takes the best task of the executor's trades, and the same one again with its key", async () => {
    await free("bob");
    const project_id = await project();
    await make({ project_id, required_trade: "painter", priority: 9 });
    await make({ project_id });
    const best = await make({ project_id, required_trade: "welder", priority: 5 });
    await make({ project_id, priority: 5 });
    const key = { project_id, client_event_id: `claim ${project_id}` };
    const first = await say("bob", "POST /claims", key);
    expect(first.body).toMatchObject({
      task: { id: best.id, status: "assigned", assigned_to: "bob", assigned_by: null, row_version: 2 },
      transition: { action: "self_assign", from_status: "available", client_event_id: key.client_event_id },
    });
    await act("bob", best.id, "start");
    const again = await say("bob", "POST /claims", key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await say("bob", "POST /claims", { client_event_id: key.client_event_id });
    expect(other.body.code).toBe("IDEMPOTENCY_CONFLICT");
    expect((await say("bob", "POST /claims", { project_id })).body).toMatchObject({
      code: "WIP_LIMIT",
      task_id: best.id,
    });
    await free("bob");
  });

  test("finds nothing in an empty pool, and says so to whoever has not the skill or the role", async () => {
    const project_id = await project();
    await free("eve");
    expect((await say("eve", "POST /claims", { project_id })).body).toEqual({ task: null, transition: null });
    expect(await say("dan", "POST /claims", { project_id })).toMatchObject({
      status: 403,
      body: { code: "SKILL_TOO_LOW" },
    });
    expect((await say("lea", "POST /claims", { project_id })).body).toMatchObject({
      code: "FORBIDDEN",
      permission: "task.self_assign",
    });
    expect((await say("eve", "POST /claims", { project_id: "nowhere" })).body.code).toBe("NOT_FOUND");
    expect((await say("eve", "POST /claims", { client_event_id: null })).body.code).toBe("VALIDATION_ERROR");
  });

  test("is not starved by a project that asks for more skill than the executor has", async () => {
    const [high, low] = [await project({ min_skill_to_take: 10 }), await project()];
    const token = await floor.member({
      id: "pat",
      roles: ["executor"],
      skill_level: 4,
      project_ids: [high, low],
    });
    await make({ project_id: high, priority: 9 });
    const mine = await make({ project_id: low });
    const body = { client_event_id: "pat's" };
    expect((await floor.ask("POST /api/planner/claims", { token, body })).body.task).toMatchObject({
      id: mine.id,
    });
    expect((await floor.ask("GET /api/planner/pool", { token })).body.tasks).toEqual([]);
  });

  test("works by the door of all lifecycles too", async () => {
    await free("eve");
    const project_id = await project();
    const { id } = await make({ project_id });
    const body = { lifecycle: "planner", project_id, client_event_id: "general" };
    const heard = await floor.ask("POST /api/claims", { token: floor.tokens.eve, body });
    expect(heard.body.tasks).toMatchObject([{ id, status: "assigned", lease_token: null }]);
    await free("eve");
  });
});

describe("the policy of a project", () => {
  const DEFAULTS = {
    min_skill_to_take: 3,
    self_check_min_skill: 8,
    min_skill_to_invite: 7,
    allow_trade_override: false,
  };

  test("is read by all, written by supervisors and admins, and holds for that project alone", async () => {
    const id = await project();
    for (const who of ["bob", "lea", "rob", "vic", "adam"] as const)
      expect((await say(who, `GET /projects/${id}/policy`)).body, who).toEqual(DEFAULTS);
    for (const who of ["bob", "lea", "rob", "vic"] as const)
      expect((await say(who, `PATCH /projects/${id}/policy`, { min_skill_to_take: 6 })).body).toMatchObject({
        code: "FORBIDDEN",
        permission: "policy.write",
      });
    const changed = await say("sue", `PATCH /projects/${id}/policy`, { min_skill_to_take: 6 });
    expect(changed.body).toEqual({ ...DEFAULTS, min_skill_to_take: 6 });
    expect(
      (await say("adam", `PATCH /projects/${id}/policy`, { self_check_min_skill: 5 })).body,
    ).toMatchObject({ self_check_min_skill: 5 });
    expect((await say("bob", "GET /projects/main/policy")).body).toEqual(DEFAULTS);

    await free("bob");
    const [there, here] = [await make({ project_id: id }), await make()];
    expect(await act("bob", there.id, "self_assign")).toBe("SKILL_TOO_LOW");
    expect((await say("bob", `GET /pool?project_id=${id}`)).body.tasks).toEqual([]);
    expect(await act("bob", here.id, "self_assign")).toBe("assigned");
    await free("bob");
    await act("lea", there.id, "assign", { assign_to: "bob" });
    for (const action of ["start", "submit"]) await act("bob", there.id, action);
    expect(await act("bob", there.id, "review_approve"), "5 is enough here").toBe("done");
    expect(
      (await say("sue", `PATCH /projects/${id}/policy`, { min_skill_to_take: null })).body,
    ).toMatchObject({ min_skill_to_take: 3 });
  });

  test.each([{ min_skill_to_take: 0 }, { min_skill_to_invite: 11 }, { allow_trade_override: "yes" }])(
    "is not %j",
    async (wrong) => {
      expect((await say("sue", "PATCH /projects/main/policy", wrong)).body.code).toBe("VALIDATION_ERROR");
    },
  );

  test("of a project that is not there is not there", async () => {
    expect((await say("sue", "GET /projects/nowhere/policy")).status).toBe(404);
    expect((await say("sue", "PATCH /projects/nowhere/policy", { min_skill_to_take: 4 })).status).toBe(404);
  });
});
