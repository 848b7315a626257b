import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, make, free } = server;

type Pooled = PlannerTask & { can_self_assign: boolean; reasons: { code: string; detail: string }[] };
type Page = { tasks: Pooled[]; cursor: string | null };

let projects = 0;
/** Creates a project with an empty pool. */
async function project(policy?: JsonObject): Promise<string> {
  const id = `hall-${++projects}`;
  await server.ask("POST /api/projects", { body: { id } });
  if (policy) bodyOf(200, await send("sue", `PATCH /projects/${id}/policy`, policy));
  return id;
}

async function pool(who: Who, project_id: string, more = ""): Promise<Page> {
  return bodyOf<Page>(200, await send(who, `GET /pool?project_id=${project_id}${more}`));
}

describe("the pool", () => {
  test("shows all tasks to leads and the system, and tasks of matching trades to an executor", async () => {
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
    expect(await titles("dan"), "the skill is too low").toEqual([]);
    expect((await send("wes", `GET /pool?project_id=${project_id}`)).body.code).toBe("FORBIDDEN");
    expect((await send("bob", "GET /pool?project_id=nowhere")).body.code).toBe("NOT_FOUND");
  });

  test("shows for each task whether the caller may take it, and all reasons why not", async () => {
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

  test("is sorted by priority, then by age, and read page by page", async () => {
    const project_id = await project();
    const created: PlannerTask[] = [];
    for (const priority of [0, 5, -3, 5, 0]) created.push(await make({ project_id, priority }));
    const order = [1, 3, 0, 4, 2].map((n) => created[n]!.id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await pool("bob", project_id, `&limit=2&cursor=${cursor}`);
      expect(page.tasks.length).toBeLessThanOrEqual(2);
      seen.push(...page.tasks.map(({ id }) => id));
      cursor = page.cursor;
    }
    expect(seen).toEqual(order);
    expect((await send("bob", "GET /pool?cursor=nonsense")).body.code).toBe("VALIDATION_ERROR");
  });

  test("contains only the caller's projects", async () => {
    const project_id = await project();
    await make({ project_id });
    const token = await server.member({
      id: "ned",
      roles: ["executor"],
      skill_level: 9,
      project_ids: [project_id],
    });
    const reply = await server.ask("GET /api/planner/pool", { token });
    expect((reply.body.tasks as PlannerTask[]).map((task) => task.project_id)).toEqual([project_id]);
    expect((await server.ask("GET /api/planner/pool?project_id=main", { token })).status).toBe(404);
  });
});

describe("a claim", () => {
  test("takes the best task of the executor's trades, and returns the same one for a repeated key", async () => {
    await free("bob");
    const project_id = await project();
    await make({ project_id, required_trade: "painter", priority: 9 });
    await make({ project_id });
    const best = await make({ project_id, required_trade: "welder", priority: 5 });
    await make({ project_id, priority: 5 });
    const key = { project_id, client_event_id: `claim ${project_id}` };
    const first = await send("bob", "POST /claims", key);
    expect(first.body).toMatchObject({
      task: { id: best.id, status: "assigned", assigned_to: "bob", assigned_by: null, row_version: 2 },
      transition: { action: "self_assign", from_status: "available", client_event_id: key.client_event_id },
    });
    await act("bob", best.id, "start");
    const again = await send("bob", "POST /claims", key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await send("bob", "POST /claims", { client_event_id: key.client_event_id });
    expect(other.body.code).toBe("IDEMPOTENCY_CONFLICT");
    expect((await send("bob", "POST /claims", { project_id })).body).toMatchObject({
      code: "WIP_LIMIT",
      task_id: best.id,
    });
    await free("bob");
  });

  test("returns null for an empty pool, and a refusal for a caller without the skill or the role", async () => {
    const project_id = await project();
    await free("eve");
    expect((await send("eve", "POST /claims", { project_id })).body).toEqual({
      task: null,
      transition: null,
    });
    expect(await send("dan", "POST /claims", { project_id })).toMatchObject({
      status: 403,
      body: { code: "SKILL_TOO_LOW" },
    });
    expect((await send("lea", "POST /claims", { project_id })).body).toMatchObject({
      code: "FORBIDDEN",
      permission: "task.self_assign",
    });
    expect((await send("eve", "POST /claims", { project_id: "nowhere" })).body.code).toBe("NOT_FOUND");
    expect((await send("eve", "POST /claims", { client_event_id: null })).body.code).toBe("VALIDATION_ERROR");
  });

  test("is not starved by a project that requires more skill than the executor has", async () => {
    const [high, low] = [await project({ min_skill_to_take: 10 }), await project()];
    const token = await server.member({
      id: "pat",
      roles: ["executor"],
      skill_level: 4,
      project_ids: [high, low],
    });
    await make({ project_id: high, priority: 9 });
    const mine = await make({ project_id: low });
    const body = { client_event_id: "pat's" };
    expect((await server.ask("POST /api/planner/claims", { token, body })).body.task).toMatchObject({
      id: mine.id,
    });
    expect((await server.ask("GET /api/planner/pool", { token })).body.tasks).toEqual([]);
  });

  test("works by the generic route too", async () => {
    await free("eve");
    const project_id = await project();
    const { id } = await make({ project_id });
    const body = { lifecycle: "planner", project_id, client_event_id: "general" };
    const reply = await server.ask("POST /api/claims", { token: server.tokens.eve, body });
    expect(reply.body.tasks).toMatchObject([{ id, status: "assigned", lease_token: null }]);
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

  test("is read by all, written by supervisors and admins, and applies to that project only", async () => {
    const id = await project();
    for (const who of ["bob", "lea", "rob", "vic", "adam"] as const)
      expect((await send(who, `GET /projects/${id}/policy`)).body, who).toEqual(DEFAULTS);
    for (const who of ["bob", "lea", "rob", "vic"] as const)
      expect((await send(who, `PATCH /projects/${id}/policy`, { min_skill_to_take: 6 })).body).toMatchObject({
        code: "FORBIDDEN",
        permission: "policy.write",
      });
    const changed = await send("sue", `PATCH /projects/${id}/policy`, { min_skill_to_take: 6 });
    expect(changed.body).toEqual({ ...DEFAULTS, min_skill_to_take: 6 });
    expect(
      (await send("adam", `PATCH /projects/${id}/policy`, { self_check_min_skill: 5 })).body,
    ).toMatchObject({ self_check_min_skill: 5 });
    expect((await send("bob", "GET /projects/main/policy")).body).toEqual(DEFAULTS);

    await free("bob");
    const [there, here] = [await make({ project_id: id }), await make()];
    expect(await act("bob", there.id, "self_assign")).toBe("SKILL_TOO_LOW");
    expect((await send("bob", `GET /pool?project_id=${id}`)).body.tasks).toEqual([]);
    expect(await act("bob", here.id, "self_assign")).toBe("assigned");
    await free("bob");
    await act("lea", there.id, "assign", { assign_to: "bob" });
    for (const action of ["start", "submit"]) await act("bob", there.id, action);
    expect(await act("bob", there.id, "review_approve"), "5 is enough here").toBe("done");
    expect(
      (await send("sue", `PATCH /projects/${id}/policy`, { min_skill_to_take: null })).body,
    ).toMatchObject({ min_skill_to_take: 3 });
  });

  test.each([{ min_skill_to_take: 0 }, { min_skill_to_invite: 11 }, { allow_trade_override: "yes" }])(
    "%j is refused",
    async (wrong) => {
      expect((await send("sue", "PATCH /projects/main/policy", wrong)).body.code).toBe("VALIDATION_ERROR");
    },
  );

  test("an unknown project is not found", async () => {
    expect((await send("sue", "GET /projects/nowhere/policy")).status).toBe(404);
    expect((await send("sue", "PATCH /projects/nowhere/policy", { min_skill_to_take: 4 })).status).toBe(404);
  });
});
