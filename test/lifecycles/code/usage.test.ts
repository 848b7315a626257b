import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { pawl } from "../../cli/pawl-process.ts";
import { bodyOf } from "../../http/test-server.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { scriptedClaude } from "./scripted-claude.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const whenIn = (task: CodeTask, status: string) =>
  until(async () => (await getTask(task.id)).status === status);

const usageBy = async (project_id: string, by: string) => {
  const query = `project_id=${project_id}&by=${by}`;
  return bodyOf<{ rows: JsonObject[]; today: JsonObject }>(
    200,
    await server.ask(`GET /api/code/usage?${query}`, { token: server.lea }),
  );
};
const inPawl = (...args: string[]) =>
  pawl(["code", ...args], { env: { PAWL_URL: server.url, PAWL_TOKEN: server.lea } });
const SPENT = { input_tokens: 100, cached_tokens: 0, output_tokens: 1, cost_usd: 0.5 };
const report = (run: number, fields: object = {}) => ({ run, agent: "claude", ...SPENT, ...fields });

/** Claims and starts the next task of a project as `wim`. */
async function begin(project_id: string) {
  const claim = { token: server.wim, body: { project_id } };
  const { tasks } = bodyOf<{ tasks: CodeTask[] }>(200, await server.ask("POST /api/code/claims", claim));
  const [task] = tasks as [CodeTask];
  expect(await server.act(task, "start", { worktree: "/w", branch: "pawl/1" })).toBe("in_progress");
  return { ...task, run: (await getTask(task.id)).row_version };
}

test("the usage of each attempt is recorded, and summed by task, day and agent", async () => {
  const bench = await createTestRepository(server);
  const { add, work, project_id } = bench;
  const task = await add("Paint it");
  await work({
    agent: await scriptedClaude(
      bench,
      `session s-1; echo '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Bash"}]}}'
       spend 0.5 100; test -e "$NOTES/again" && echo red > paint; touch "$NOTES/again"; exit 0`,
    ),
  });
  await whenIn(task, "completed");
  const twice = { input_tokens: 200, cached_tokens: 0, output_tokens: 2, cost_usd: 1 };
  const attempt = { agent: "claude", model: "opus", usage: SPENT };
  expect(await getTask(task.id)).toMatchObject({ usage: twice, runs: [attempt, attempt] });
  const today = new Date().toISOString().slice(0, 10);
  const row = { ...twice, runs: 2, tasks: 1 };
  for (const [by, key, title] of [
    ["day", today, null],
    ["agent", "claude", null],
    ["task", task.id, "Paint it"],
  ] as const)
    expect(await usageBy(project_id, by)).toMatchObject({
      by,
      rows: [{ ...row, key, title }],
      today: { cost_usd: 1, tokens: 202 },
    });
  const shown = (await inPawl("show", task.id)).stdout;
  expect(shown).toMatch(/used +\$1\.00, 202 tokens/);
  expect(shown).toMatch(/claude +\$0\.50/);
  expect((await inPawl("list", "-p", project_id)).stdout).toContain("$1.00");
  expect((await inPawl("usage", "-p", project_id, "--by", "agent")).stdout).toMatch(
    /claude +\$1\.00 +200 +2/,
  );
});

test("a later report of an attempt replaces the earlier one; the journal has both", async () => {
  const { add, project_id } = await createTestRepository(server);
  await add("Paint it");
  const task = await begin(project_id);
  expect(await server.act(task, "record_usage", report(task.run, { cost_usd: 0.25 }))).toBe("in_progress");
  expect(await server.act(task, "record_usage", report(task.run))).toBe("in_progress");
  expect((await getTask(task.id)).usage).toEqual(SPENT);
  expect((await usageBy(project_id, "agent")).rows).toMatchObject([{ ...SPENT, runs: 1 }]);
});

test("only the worker that holds the lease records usage; an agent's own token does not, and reads no usage", async () => {
  const { add, project_id } = await createTestRepository(server);
  const other = await add("Other");
  const task = await begin(project_id);
  const { lease_token } = task;
  const made = await server.ask(`POST /api/code/tasks/${task.id}/agent-token`, {
    token: server.wim,
    body: { lease_token },
  });
  const { token } = bodyOf<{ token: string }>(201, made);
  expect(await server.act(task, "record_usage", report(task.run), { token })).toBe("FORBIDDEN");
  expect(await server.act(other, "record_usage", report(1), { token })).not.toBe("in_progress");
  expect(await server.act(task, "record_usage", report(task.run), { token: server.wen })).toBe("LEASE_LOST");
  expect(await server.act(task, "record_usage", report(task.run), { token: server.lea })).toBe("FORBIDDEN");
  expect((await server.ask("GET /api/code/usage", { token })).status).toBe(403);
  expect((await usageBy(project_id, "task")).rows).toEqual([]);
});

test.each([
  ["negative tokens", { input_tokens: -1 }],
  ["a cost that is no number", { cost_usd: "much" }],
  ["a session id that would add options to a command", { session: "x --resume y" }],
  ["no agent", { agent: "" }],
])("%s: the report is refused", async (_, fields) => {
  const { add, project_id } = await createTestRepository(server);
  await add("Paint it");
  const task = await begin(project_id);
  expect(await server.act(task, "record_usage", report(task.run, fields))).toBe("VALIDATION_ERROR");
});

test("a spent budget of a task stops its next attempt, not the running one; resuming allows as much again", async () => {
  const bench = await createTestRepository(server, { settings: { budget_usd_per_task: 0.5 } });
  const { add, work, history, project_id } = bench;
  const task = await add("Paint it", { priority: 5 });
  const cheap = await add("Cheap one");
  await work({
    agent: await scriptedClaude(
      bench,
      `session s-1; if [ "$PAWL_TASK_ID" = ${cheap.id} ]; then echo 1 > cheap; exit 0; fi
       spend 0.5 100; test -e "$NOTES/again" && echo red > paint; touch "$NOTES/again"; exit 0`,
    ),
  });
  await until(async () => (await getTask(task.id)).held);
  // Other tasks go on, also those of a lower priority.
  await whenIn(cheap, "completed");
  expect(await getTask(task.id)).toMatchObject({
    status: "ready",
    needs_attention: true,
    budget_spent: "The budget of this task is spent: $0.50 of $0.50.",
    last_error: expect.stringContaining("The budget of this task is spent: $0.50 of $0.50.") as string,
  });
  const { body } = await server.ask(`GET /api/tasks/${task.id}/actions`, { token: server.wim });
  expect(JSON.stringify(body)).toContain("The budget of this task is spent");
  expect((await inPawl("list", "-p", project_id)).stdout).toContain("The budget of this task is spent");
  const resume = { token: server.lea, lease_token: null };
  expect(await server.act(task, "resume", undefined, { ...resume, token: server.wen })).not.toBe("ready");
  expect(await server.act(task, "resume", undefined, resume)).toBe("ready");
  await whenIn(task, "completed");
  expect(await getTask(task.id)).toMatchObject({ budget_spent: null, usage: { cost_usd: 1 } });
  expect(await history()).toEqual(["Cheap one", "Paint it"]);
});

test("a spent budget of the day stops claims until it is raised", async () => {
  const { add, project_id } = await createTestRepository(server, {
    settings: { budget_tokens_per_day: 100 },
  });
  await add("Paint it");
  const next = await add("Paint more");
  const task = await begin(project_id);
  expect(await server.act(task, "record_usage", report(task.run))).toBe("in_progress");
  // The running attempt may finish.
  expect(await server.act(task, "complete", { commit: "c" })).toBe("completed");
  const claim = { token: server.wim, body: { project_id } };
  expect((await server.ask("POST /api/code/claims", claim)).body.tasks).toEqual([]);
  const text = "Today's budget of the project is spent: 101 of 100 tokens.";
  const { body: summary } = await server.ask(`GET /api/code/summary?project_id=${project_id}`);
  expect(summary.budget_spent).toBe(text);
  const { body } = await server.ask(`GET /api/tasks/${next.id}/actions`, { token: server.wim });
  expect(JSON.stringify(body)).toContain(text);
  const settings = { code: { budget_tokens_per_day: 1_000 } };
  await server.ask(`PATCH /api/projects/${project_id}`, { body: { settings } });
  expect((await server.ask("POST /api/code/claims", claim)).body.tasks).toMatchObject([{ id: next.id }]);
});

test("a paused task is shown as paused, whatever text its last error has", async () => {
  const { add, project_id } = await createTestRepository(server, { settings: { operator_controls: true } });
  const { id } = await add("Paint it");
  const task = await begin(project_id);
  const error = "AssertionError: The budget of this task is spent";
  expect(await server.act(task, "retry", { error })).toBe("claimed");
  expect(await server.act(task, "release")).toBe("ready");
  expect(await server.act(task, "pause", undefined, { token: server.lea, lease_token: null })).toBe("ready");
  expect(await getTask(id)).toMatchObject({ held: true, budget_spent: null, last_error: error });
  const list = (await inPawl("list", "-p", project_id)).stdout;
  expect(list).toContain("paused");
  expect(list).not.toContain("is spent");
});

test("while an agent runs, the cost of a continued session counts only this run", async () => {
  const bench = await createTestRepository(server, { settings: { continue: true } });
  const { add, work } = bench;
  const task = await add("Paint it");
  // Claude Code reports the cost of the whole session: 0.50 after the first run, 0.75 after the second.
  const worker = await work({
    agent: await scriptedClaude(
      bench,
      `session s-1; if [ -n "$PAWL_SESSION" ]; then spend 0.75 10; echo red > paint; else spend 0.5 10; fi`,
    ),
  });
  await whenIn(task, "completed");
  const costs = worker.events.flatMap((event) => (event.kind === "cost" ? [event.usd] : []));
  expect(costs).toEqual([0.5, 0.25]);
  expect(await getTask(task.id)).toMatchObject({ usage: { cost_usd: 0.75 } });
});

test("figures and names that the server would refuse are adjusted, so that the usage counts", async () => {
  const bench = await createTestRepository(server);
  const { add, work, project_id } = bench;
  const task = await add("Paint\rit");
  await work({
    agent: await scriptedClaude(
      bench,
      `echo '{"type":"system","subtype":"init","session_id":"s-1","model":" \\u0000 "}'
       spend 1e300 1e300; echo red > paint`,
    ),
  });
  await whenIn(task, "completed");
  expect((await usageBy(project_id, "task")).rows).toMatchObject([{ input_tokens: 1e15, cost_usd: 1e9 }]);
  const { stdout } = await inPawl("usage", "--by", "task", "-p", project_id);
  expect(stdout).toContain("Paint it");
});
