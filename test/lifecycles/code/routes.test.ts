import { afterEach, describe, expect, test } from "vitest";
import { bodyOf, outcomeOf } from "../../http/test-server.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";

const server = await startCodeServer();
const { ask, make, begin, act, getTask, claim, lea, wim, wen, vic } = server;

afterEach(async () => {
  // Claims leftover ready tasks, so that the next test does not see them.
  await ask("POST /api/claims", { token: wen, body: { lifecycle: "code", limit: 100 } });
});

describe("a task", () => {
  test("goes through claim, start and complete, and lists its attempts", async () => {
    const { id } = await make({ description: "All of it", acceptance: "It works", priority: 2 });
    const task = await begin();
    expect(task).toMatchObject({ id, status: "in_progress", worker: "wim", branch: "pawl/1", attempts: 0 });
    expect(await act(task, "complete", {})).toBe("VALIDATION_ERROR");
    expect(await act(task, "complete", { commit: "abc123" })).toBe("completed");
    expect(await getTask(id)).toMatchObject({
      status: "completed",
      commit: "abc123",
      runs: [{ attempt: 1, run: 3, worker: "wim", outcome: "completed", commit: "abc123", branch: "pawl/1" }],
    });
    expect(await act(task, "complete", { commit: "abc123" })).toBe("INVALID_TRANSITION");
  });

  test("keeps its lease on retry, counts attempts, and fails after the last one", async () => {
    const { id } = await make({ max_attempts: 1 });
    const task = await begin();
    expect(await act(task, "fail", { error: "x", recoverable: true })).toBe("ATTEMPTS_LEFT");
    expect(await act(task, "retry", { error: "merge conflict", exit_code: 1 })).toBe("claimed");
    expect(await getTask(id)).toMatchObject({ attempts: 1, last_error: "merge conflict" });
    expect(await act(task, "start", { worktree: "/w2", branch: "pawl/1" })).toBe("in_progress");
    expect(await act(task, "retry", { error: "again" })).toBe("ATTEMPTS_EXHAUSTED");
    expect(await act(task, "fail", { error: "again", recoverable: true })).toBe("failed");
    const { runs } = await getTask(id);
    expect(runs.map(({ outcome, error, exit_code }) => [outcome, error, exit_code])).toEqual([
      ["retried", "merge conflict", 1],
      ["failed", "again", null],
    ]);
  });

  test("can be moved only by the worker that holds its lease", async () => {
    await make();
    const task = await begin();
    expect(await act(task, "complete", { commit: "a" }, { token: wen })).toBe("LEASE_LOST");
    expect(await act({ ...task, lease_token: crypto.randomUUID() }, "complete", { commit: "a" })).toBe(
      "LEASE_LOST",
    );
    expect(await act(task, "complete", { commit: "a" }, { lease_token: null })).toBe("LEASE_TOKEN_REQUIRED");
    expect(await act(task, "complete", { commit: "a" }, { token: lea })).toBe("FORBIDDEN");
    expect(await act(task, "comment", undefined, { token: lea, comment: "How is it going?" })).toBe(
      "in_progress",
    );
    expect(await act(task, "comment", undefined, { token: vic, comment: "Hm" })).toBe("FORBIDDEN");
    expect(await act(task, "complete", { commit: "a" })).toBe("completed");
  });
});

describe("blockers", () => {
  test("are named by refs in a batch; a task is ready when they are completed", async () => {
    const body = {
      tasks: [
        { ref: "a", title: "First" },
        { ref: "b", title: "Second", blocked_by: ["a"] },
        { title: "Third", blocked_by: ["a", { task: "b", on_failure: "proceed" }] },
      ],
    };
    const { tasks } = bodyOf<{
      tasks: CodeTask[];
    }>(201, await ask("POST /api/code/tasks/batch", { token: lea, body }));
    const [a, b, c] = tasks as [CodeTask, CodeTask, CodeTask];
    expect(tasks.map(({ status }) => status)).toEqual(["ready", "blocked", "blocked"]);
    const first = await begin();
    expect(first.id).toBe(a.id);
    expect(await act(first, "complete", { commit: "1" })).toBe("completed");
    expect([(await getTask(b.id)).status, (await getTask(c.id)).status]).toEqual(["ready", "blocked"]);
    expect((await getTask(c.id)).blocked_by).toMatchObject([
      { task_id: a.id, title: "First", status: "completed", on_failure: "wait", resolved: true },
      { task_id: b.id, on_failure: "proceed", resolved: false },
    ]);
    const second = await begin();
    expect(await act(second, "fail", { error: "no way" })).toBe("failed");
    expect((await getTask(c.id)).status).toBe("ready");
    const { nodes, edges } = bodyOf<{
      nodes: CodeTask[];
      edges: { from: string; to: string }[];
    }>(200, await ask("GET /api/code/graph", { token: vic }));
    expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining([a.id, b.id, c.id]));
    expect(
      edges
        .filter(({ to }) => to === c.id)
        .map(({ from }) => from)
        .sort(),
    ).toEqual([a.id, b.id].sort());
    const open = bodyOf(200, await ask("GET /api/code/graph?finished=false", { token: vic }));
    expect((open.nodes as CodeTask[]).map(({ id }) => id)).not.toContain(a.id);
  });

  test("in a cycle are refused, and so are unknown ones", async () => {
    const tasks = [
      { ref: "a", title: "A", blocked_by: ["b"] },
      { ref: "b", title: "B", blocked_by: ["a"] },
    ];
    expect(outcomeOf(await ask("POST /api/code/tasks/batch", { token: lea, body: { tasks } }))).toBe(
      "409 CYCLIC_DEPENDENCY",
    );
    const body = { title: "C", blocked_by: [crypto.randomUUID()] };
    expect(outcomeOf(await ask("POST /api/code/tasks", { token: lea, body }))).toBe("422 VALIDATION_ERROR");
    const strange = { title: "C", blocked_by: [{ task: "a", on_failure: "explode" }] };
    expect(outcomeOf(await ask("POST /api/code/tasks", { token: lea, body: strange }))).toBe(
      "422 VALIDATION_ERROR",
    );
  });

  test("leave their dependents blocked with the reason if they fail, until a retry replaces them", async () => {
    const blocker = await make({ title: "The blocker" });
    const waits = await make({ title: "It waits", blocked_by: [blocker.id] });
    const doomed = await make({
      title: "It is doomed",
      blocked_by: [{ task: blocker.id, on_failure: "fail" }],
    });
    const task = await begin();
    expect(outcomeOf(await ask(`POST /api/code/tasks/${blocker.id}/retry`, { token: lea, body: {} }))).toBe(
      "409 NOT_FAILED",
    );
    expect(await act(task, "fail", { error: "no way" })).toBe("failed");
    expect(await getTask(waits.id)).toMatchObject({ status: "blocked", needs_attention: true });
    expect((await getTask(waits.id)).blocked_reason).toBe(`${blocker.id} ended without success.`);
    expect((await getTask(doomed.id)).blocked_reason).toMatch(/would have failed with it/);

    const again = { token: lea, body: { client_event_id: "again" } };
    const copy = bodyOf<CodeTask>(201, await ask(`POST /api/code/tasks/${blocker.id}/retry`, again));
    expect(copy).toMatchObject({ title: "The blocker", retry_of: blocker.id, status: "ready" });
    const replayed = await ask(`POST /api/code/tasks/${blocker.id}/retry`, again);
    expect([replayed.body.id, replayed.headers.get("idempotent-replayed")]).toEqual([copy.id, "true"]);
    expect(await getTask(waits.id)).toMatchObject({ needs_attention: false, blocked_reason: null });
    const retried = await begin();
    expect(retried.id).toBe(copy.id);
    expect(await act(retried, "complete", { commit: "2" })).toBe("completed");
    expect([(await getTask(waits.id)).status, (await getTask(doomed.id)).status]).toEqual(["ready", "ready"]);
    expect((await server.engine.verify("main")).differences).toEqual([]);
  });

  test("become one task per description, or holds if auto_unblock is off", async () => {
    const [one, two] = [await make({ priority: 9 }), await make({ priority: 9 })];
    const first = await begin();
    const second = await begin();
    expect([first.id, second.id]).toEqual([one.id, two.id]);
    const description = "the staging database is down";
    expect(await act(first, "block", { description })).toBe("blocked");
    expect(await act(second, "block", { description })).toBe("blocked");
    const [{ task_id: clearing }] = (await getTask(one.id)).blocked_by as [{ task_id: string }];
    expect((await getTask(two.id)).blocked_by).toMatchObject([{ task_id: clearing }]);
    expect(await getTask(clearing)).toMatchObject({
      title: `Clear the way: ${description}`,
      description,
      status: "ready",
    });
    const cleared = await begin();
    expect(cleared.id).toBe(clearing);
    expect(await act(cleared, "block", { blocker_id: one.id })).toBe("CYCLIC_DEPENDENCY");
    expect(await act(cleared, "block", { blocker_id: crypto.randomUUID() })).toBe("NOT_FOUND");
    expect(await act(cleared, "complete", { commit: "3" })).toBe("completed");
    expect([(await getTask(one.id)).status, (await getTask(two.id)).status]).toEqual(["ready", "ready"]);

    const third = await begin();
    expect(await act(third, "block", { blocker_id: clearing })).toBe("BLOCKER_FINISHED");
    expect(await act(third, "block", { blocker_id: two.id })).toBe("blocked");
    expect(await getTask(third.id)).toMatchObject({ status: "blocked", worker: null });

    await make({ title: "By hand", auto_unblock: false, priority: 10 });
    const manual = await begin();
    expect(await act(manual, "block", { description })).toBe("blocked");
    expect(await getTask(manual.id)).toMatchObject({ needs_attention: true, blocked_by: [] });
    await act(manual, "clear_blocker", {}, { token: lea });
    expect(await getTask(manual.id)).toMatchObject({ status: "ready", needs_attention: false });
    expect((await server.engine.verify("main")).differences).toEqual([]);
  });
});

describe("the system", () => {
  test("returns a task whose worker sends no heartbeats, and counts one attempt", async () => {
    const { id } = await make({ priority: 20 });
    await begin();
    await server.engine.sweep({ now: Date.now() + 61_000 });
    expect(await getTask(id)).toMatchObject({ status: "ready", attempts: 1, worker: null });
    expect((await getTask(id)).runs).toMatchObject([{ outcome: "lost" }]);
  });

  test("returns a claimed task that was not started; after the last attempt it needs attention", async () => {
    const { id } = await make({ priority: 21, max_attempts: 1 });
    await claim();
    await server.engine.sweep({ now: Date.now() + 11 * 60_000 });
    expect(await getTask(id)).toMatchObject({ status: "ready", attempts: 1, needs_attention: true });
  });

  test("reports work that takes too long, and does not move it", async () => {
    await make({ priority: 22 });
    const task = await begin();
    const beat = { token: wim, body: { leases: [{ task_id: task.id, lease_token: task.lease_token }] } };
    await server.sql`update pawl.task set due_at = now(), due_action = 'report_stuck', entered_at = now() - interval '2 hours' where id = ${task.id}`;
    await ask("POST /api/heartbeats", beat);
    await server.engine.sweep();
    expect(await getTask(task.id)).toMatchObject({
      status: "in_progress",
      stuck: true,
      needs_attention: true,
    });
    const summary = bodyOf(200, await ask("GET /api/code/summary", { token: vic }));
    expect(summary).toMatchObject({ stuck: 1 });
    const figures = await ask("GET /metrics");
    expect(figures.text).toContain('pawl_tasks_needing_attention{lifecycle="code",status="in_progress"} 1\n');
    expect(await act(task, "complete", { commit: "4" })).toBe("completed");
  });
});

describe("the output of an agent", () => {
  const sendOutput = (
    task: CodeTask & { run: number },
    text: string,
    token = wim,
    lease_token = task.lease_token,
  ) => ask(`POST /api/code/tasks/${task.id}/output`, { token, body: { lease_token, run: task.run, text } });

  test("is stored by attempt, streamed live, and accepted only from the worker that holds the lease", async () => {
    const { id } = await make({ priority: 30 });
    const task = await begin();
    const received: unknown[] = [];
    const leaving = new AbortController();
    const { createClient } = await import("../../../src/client/index.ts");
    const { CODE_ROUTES } = await import("../../../src/lifecycles/code/index.ts");
    const calls = createClient({ url: server.url, token: vic }).calls(CODE_ROUTES);
    const listening = (async () => {
      for await (const { text, run, position } of calls.streamCodeOutput(
        { id },
        { signal: leaving.signal },
      )) {
        received.push([position, run, text]);
        if (received.length === 3) leaving.abort();
      }
    })();
    expect((await sendOutput(task, "reading …\n")).body).toEqual({ kept: true });
    expect((await sendOutput(task, "writing …\n")).body).toEqual({ kept: true });
    expect(outcomeOf(await sendOutput(task, "me too", wen))).toBe("409 LEASE_LOST");
    expect(outcomeOf(await sendOutput(task, "me too", wim, crypto.randomUUID()))).toBe("409 LEASE_LOST");
    expect(outcomeOf(await sendOutput(task, "me too", wim, "nonsense"))).toBe("409 LEASE_LOST");
    const summary = bodyOf(200, await ask("GET /api/code/summary", { token: vic }));
    expect(summary.at_work).toContainEqual(
      expect.objectContaining({ task_id: id, worker: "wim", last_line: "writing …" }),
    );
    expect(await act(task, "retry", { error: "no" })).toBe("claimed");
    expect(await act(task, "start", { worktree: "/w", branch: "b" })).toBe("in_progress");
    await sendOutput({ ...task, run: (await getTask(id)).row_version }, "once more\n");
    await listening;
    expect(received).toEqual([
      [1, 3, "reading …\n"],
      [2, 3, "writing …\n"],
      [3, 5, "once more\n"],
    ]);
    expect((await getTask(id)).log).toBe("once more\n");
    expect((await ask(`GET /api/code/tasks/${id}/log`, { token: vic })).text).toBe("once more\n");
    expect((await ask(`GET /api/code/tasks/${id}/log?run=3`, { token: vic })).text).toBe(
      "reading …\nwriting …\n",
    );
    expect(await act(task, "complete", { commit: "5" })).toBe("completed");
    expect(outcomeOf(await sendOutput(task, "too late"))).toBe("409 LEASE_LOST");
  });

  test("is stored up to a limit", async () => {
    await make({ priority: 31 });
    const task = await begin();
    const text = "x".repeat(65_536);
    const kept: unknown[] = [];
    for (let piece = 0; piece < 66; piece++) kept.push((await sendOutput(task, text)).body.kept);
    expect(kept.filter(Boolean)).toHaveLength(64);
    expect(outcomeOf(await sendOutput(task, `${text}x`))).toBe("422 VALIDATION_ERROR");
    expect(await act(task, "complete", { commit: "6" })).toBe("completed");
  });
});

describe("the token of a task's agent", () => {
  test("can access this task and create tasks next to it, and nothing else", async () => {
    await server.directory.addProject(
      {
        org_id: "main",
        actor: ((await server.directory.authenticate(server.admin)) as never as { actor: never }).actor,
      },
      { id: "shed" },
    );
    const other = await make({ title: "Another" });
    await make({ priority: 40 });
    const task = await begin();
    const issue = (token: string, body: object = { lease_token: task.lease_token }) =>
      ask(`POST /api/code/tasks/${task.id}/agent-token`, { token, body });
    expect(outcomeOf(await issue(wen))).toBe("409 LEASE_LOST");
    const { token } = bodyOf<{ token: string }>(201, await issue(wim));
    const outcome = async (what: string, body?: unknown) => outcomeOf(await ask(what, { token, body }));

    expect(await outcome(`GET /api/code/tasks/${task.id}`)).toBe("200");
    expect(await outcome(`GET /api/tasks/${task.id}`)).toBe("200");
    expect(await outcome(`GET /api/tasks/${task.id}/actions`)).toBe("200");
    expect(await outcome(`GET /api/code/tasks/${other.id}`)).toBe("404 TASK_NOT_FOUND");
    expect(await outcome(`GET /api/tasks/${other.id}`)).toBe("404 TASK_NOT_FOUND");
    expect(await outcome("GET /api/code/tasks")).toBe("403 TOKEN_CONFINED");
    expect(await outcome("GET /api/tasks")).toBe("403 TOKEN_CONFINED");
    expect(await outcome("GET /api/code/graph")).toBe("403 TOKEN_CONFINED");
    expect(await outcome("POST /api/code/claims", {})).toBe("403 TOKEN_CONFINED");
    expect(await outcome("POST /api/claims", { lifecycle: "code" })).toBe("403 TOKEN_CONFINED");
    expect(await outcome("GET /api/members")).toBe("403 TOKEN_CONFINED");
    expect(await outcome("GET /api/events")).toBe("403 TOKEN_CONFINED");

    const move = `POST /api/code/tasks/${task.id}/transitions`;
    expect(await outcome(move, { action: "comment", comment: "Half of it is done" })).toBe("200");
    expect(await outcome(move, { action: "report_obstacle", payload: { description: "no network" } })).toBe(
      "200",
    );
    for (const action of ["complete", "record_merge"])
      for (const path of [move, `POST /api/tasks/${task.id}/transitions`])
        expect(
          await outcome(path, { action, payload: { commit: "a".repeat(40) }, lease_token: task.lease_token }),
        ).toBe("403 FORBIDDEN");
    expect(
      await outcome(`POST /api/tasks/${other.id}/transitions`, { action: "comment", comment: "Hm" }),
    ).toBe("404 TASK_NOT_FOUND");
    expect(await outcome("POST /api/code/tasks", { title: "A follow-up" })).toBe("201");
    expect(
      await outcome("POST /api/tasks", { lifecycle: "code", title: "A follow-up", project_id: "shed" }),
    ).toBe("201");
    expect(await outcome("POST /api/tasks", { lifecycle: "board", title: "Else", description: "x" })).toBe(
      "403 TOKEN_CONFINED",
    );
    for (const path of ["/api/tasks/batch", "/api/code/tasks/batch"]) {
      const many = [{ lifecycle: "code", title: "A follow-up", project_id: "shed" }];
      expect(await outcome(`POST ${path}`, { tasks: many })).toBe("201");
    }
    const elsewhere = [{ lifecycle: "board", title: "Else", description: "x", project_id: "shed" }];
    expect(await outcome("POST /api/tasks/batch", { tasks: elsewhere })).toBe("403 TOKEN_CONFINED");
    const [row] = await server.sql<{ projects: string[] }[]>`
      select array_agg(distinct project_id) as projects from pawl.task where title = 'A follow-up'`;
    expect(row?.projects).toEqual(["main"]);
  });

  test("expires", async () => {
    await make({ priority: 41 });
    const task = await begin();
    const body = { lease_token: task.lease_token, lasts_seconds: 1 };
    const { token } = bodyOf<{
      token: string;
    }>(201, await ask(`POST /api/code/tasks/${task.id}/agent-token`, { token: wim, body }));
    await expect.poll(async () => outcomeOf(await ask("GET /api/me", { token }))).toBe("401 INVALID_TOKEN");
  });
});
