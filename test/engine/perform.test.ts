import { expect, test } from "vitest";
import { member } from "../support/situation.ts";
import { ann, bob, cat, openTestEngine, performed } from "./test-engine.ts";

const env = await openTestEngine();
const board = (more = {}) => env.make(cat, "board", { title: "Write it", description: "all", ...more });

test("a task moves from NEW to DONE, and its row_version is the number of its events", async () => {
  const task = await board();
  expect(await env.act(ann, task, "claim")).toBe("IN_PROGRESS");
  expect(await env.act(bob, task, "claim")).toBe("TASK_ALREADY_CLAIMED");
  expect(await env.act(ann, task, "complete")).toBe("DONE");
  expect(await env.engine.find(env.by(bob), task.id)).toMatchObject({
    status: "DONE",
    row_version: 3,
    assigned_to: "ann",
  });
  expect(await env.engine.events(env.by(bob), task.id)).toMatchObject([
    { id: `${task.id}.1`, type: "created" },
    { id: `${task.id}.2`, type: "claimed", comment: "so", from_status: "NEW", to_status: "IN_PROGRESS" },
    { id: `${task.id}.3`, type: "status_changed", actor_id: "ann" },
  ]);
});

test("a refusal changes nothing", async () => {
  const task = await board();
  const before = await env.sql`select * from pawl.task where id = ${task.id}`;
  expect(await env.act(bob, task, "complete")).toBe("INVALID_TRANSITION");
  expect(await env.act(member("v", ["viewer"]), task, "claim")).toBe("FORBIDDEN");
  expect(await env.act(ann, task, "claim", { expected_row_version: 9 })).toBe("VERSION_CONFLICT");
  expect(await env.act(ann, task, "claim", { comment: " " })).toBe("COMMENT_REQUIRED");
  expect(await env.act(ann, task, "fly")).toBe("VALIDATION_ERROR");
  expect(await env.sql`select * from pawl.task where id = ${task.id}`).toEqual(before);
});

test("every call on a task that the caller cannot see answers TASK_NOT_FOUND", async () => {
  const secret = await board({ visibility: "private" });
  const guest = member("guest", ["agent"], { project_ids: ["other"] });
  for (const [actor, id] of [
    [ann, secret.id],
    [guest, (await board()).id],
    [ann, crypto.randomUUID()],
    [ann, "no-uuid"],
  ] as const) {
    expect(await env.act(actor, { id }, "claim")).toBe("TASK_NOT_FOUND");
    expect(await env.act(actor, { id }, "fly")).toBe("TASK_NOT_FOUND");
    expect(await env.engine.find(env.by(actor), id)).toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(await env.engine.events(env.by(actor), id)).toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(await env.engine.explain(env.by(actor), id)).toMatchObject({ code: "TASK_NOT_FOUND" });
  }
});

test("several commands on one task in one batch are decided one after the other", async () => {
  const task = await board();
  const answers = await env.engine.performMany(
    env.by(ann),
    ["claim", "block", "resume", "complete", "complete"].map((action) => ({
      task_id: task.id,
      action,
      comment: action,
    })),
  );
  expect(answers.map((answer) => (answer.kind === "refused" ? answer.code : answer.task.status))).toEqual([
    "IN_PROGRESS",
    "BLOCKED",
    "IN_PROGRESS",
    "DONE",
    "INVALID_TRANSITION",
  ]);
});

test("a hundred concurrent callers share a few commits", async () => {
  const tasks = await Promise.all(Array.from({ length: 100 }, () => board()));
  const commits = async () =>
    (
      await env.sql<
        { n: string }[]
      >`select xact_commit as n from pg_stat_database where datname = current_database()`
    )[0]!.n;
  await env.sql`select pg_stat_force_next_flush()`;
  const before = Number(await commits());
  const done = await Promise.all(tasks.map((task) => env.act(ann, task, "claim")));
  expect(new Set(done)).toEqual(new Set(["IN_PROGRESS"]));
  await env.sql`select pg_stat_force_next_flush()`;
  expect(Number(await commits()) - before).toBeLessThan(40);
});

test("a repeated start of a bot action is touched: no event and no new version", async () => {
  const action = await env.make(bob, "bot-actions", { chatId: "c", actionId: "1", actionType: "summarize" });
  const answer = performed(await env.engine.perform(env.by(bob), { task_id: action.id, action: "start" }));
  expect(answer).toMatchObject({ outcome: "touched", event: null, task: { row_version: 1 } });
  expect(answer.task.updated_at).toBeGreaterThan(action.updated_at);
  const finish = { task_id: action.id, action: "update", payload: { status: "done" } };
  expect(performed(await env.engine.perform(env.by(bob), finish))).toMatchObject({
    outcome: "moved",
    task: { row_version: 2 },
  });
  expect(performed(await env.engine.perform(env.by(bob), finish))).toMatchObject({
    outcome: "absorbed",
    task: { row_version: 2 },
  });
});

test("explain lists the actions of a stored task, and loads the facts that they need", async () => {
  const blocker = await board();
  const task = await board({ blocked_by: [blocker.id] });
  const answers = await env.engine.explain(env.by(ann), task.id);
  if ("kind" in answers) throw new Error(answers.code);
  expect(answers.find(({ action }) => action === "claim")).toMatchObject({
    allowed: false,
    refusals: [{ code: "UNRESOLVED_BLOCKERS", params: { blockers: [{ id: blocker.id, status: "NEW" }] } }],
  });
  expect(answers.find(({ action }) => action === "comment")).toMatchObject({ allowed: true });
});

test("lists are paged by cursor, filtered and searched by title, and contain only tasks that the caller may see", async () => {
  const other = member("lister", ["agent"]);
  const titles = Array.from({ length: 7 }, (_, n) => `Needle ${n} of the list`);
  for (const title of titles) await board({ title });
  await env.make(ann, "board", { title: "Needle that is private", description: "x", visibility: "private" });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await env.engine.list(env.by(other), {
      q: "nEEdle",
      limit: 3,
      lifecycle: "board",
      ...(cursor ? { cursor } : {}),
    });
    seen.push(...page.tasks.map((task) => task.title));
    cursor = page.cursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(titles);
  expect((await env.engine.list(env.by(ann), { q: "private" })).tasks).toHaveLength(1);
  expect((await env.engine.list(env.by(other), { q: "needle", status: ["DONE"] })).tasks).toEqual([]);
  expect((await env.engine.list(env.by(member("g", ["agent"], { project_ids: [] })))).tasks).toEqual([]);
});
