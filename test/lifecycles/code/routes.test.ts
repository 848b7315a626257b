import { afterEach, describe, expect, test } from "vitest";
import { wanted, wordOf } from "../../http/front-desk.ts";
import { openCodeShop } from "./code-shop.ts";
import type { CodeTask } from "./code-shop.ts";

const shop = await openCodeShop();
const { ask, make, begin, act, look, claim, lea, wim, wen, vic } = shop;

afterEach(async () => {
  // What a test leaves ready is nobody's business in the next one.
  await ask("POST /api/claims", { token: wen, body: { lifecycle: "code", limit: 100 } });
});

describe("a task", () => {
  test("runs through claim, start and complete, and tells its attempts", async () => {
    const { id } = await make({ description: "All of it", acceptance: "It works", priority: 2 });
    const task = await begin();
    expect(task).toMatchObject({ id, status: "in_progress", worker: "wim", branch: "pawl/1", attempts: 0 });
    expect(await act(task, "complete", {})).toBe("VALIDATION_ERROR");
    expect(await act(task, "complete", { commit: "abc123" })).toBe("completed");
    expect(await look(id)).toMatchObject({
      status: "completed",
      commit: "abc123",
      runs: [{ attempt: 1, run: 3, worker: "wim", outcome: "completed", commit: "abc123", branch: "pawl/1" }],
    });
    expect(await act(task, "complete", { commit: "abc123" })).toBe("INVALID_TRANSITION");
  });

  test("that is tried again keeps its lease, counts, and fails when attempts are spent", async () => {
    const { id } = await make({ max_attempts: 1 });
    const task = await begin();
    expect(await act(task, "fail", { error: "x", recoverable: true })).toBe("ATTEMPTS_LEFT");
    expect(await act(task, "retry", { error: "merge conflict", exit_code: 1 })).toBe("claimed");
    expect(await look(id)).toMatchObject({ attempts: 1, last_error: "merge conflict" });
    expect(await act(task, "start", { worktree: "/w2", branch: "pawl/1" })).toBe("in_progress");
    expect(await act(task, "retry", { error: "again" })).toBe("ATTEMPTS_EXHAUSTED");
    expect(await act(task, "fail", { error: "again", recoverable: true })).toBe("failed");
    const { runs } = await look(id);
    expect(runs.map(({ outcome, error, exit_code }) => [outcome, error, exit_code])).toEqual([
      ["retried", "merge conflict", 1],
      ["failed", "again", null],
    ]);
  });

  test("is nobody's but the lease's worker's", async () => {
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
  test("many tasks with refs are created at once; each is ready when what it waited for is completed", async () => {
    const body = {
      tasks: [
        { ref: "a", title: "First" },
        { ref: "b", title: "Second", blocked_by: ["a"] },
        { title: "Third", blocked_by: ["a", { task: "b", on_failure: "proceed" }] },
      ],
    };
    const { tasks } = wanted<{
      tasks: CodeTask[];
    }>(201, await ask("POST /api/code/tasks/batch", { token: lea, body }));
    const [a, b, c] = tasks as [CodeTask, CodeTask, CodeTask];
    expect(tasks.map(({ status }) => status)).toEqual(["ready", "blocked", "blocked"]);
    const first = await begin();
    expect(first.id).toBe(a.id);
    expect(await act(first, "complete", { commit: "1" })).toBe("completed");
    expect([(await look(b.id)).status, (await look(c.id)).status]).toEqual(["ready", "blocked"]);
    expect((await look(c.id)).blocked_by).toMatchObject([
      { task_id: a.id, title: "First", status: "completed", on_failure: "wait", resolved: true },
      { task_id: b.id, on_failure: "proceed", resolved: false },
    ]);
    const second = await begin();
    expect(await act(second, "fail", { error: "no way" })).toBe("failed");
    expect((await look(c.id)).status).toBe("ready");
    const { nodes, edges } = wanted<{
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
    const open = wanted(200, await ask("GET /api/code/graph?finished=false", { token: vic }));
    expect((open.nodes as CodeTask[]).map(({ id }) => id)).not.toContain(a.id);
  });

  test("that wait for each other are refused, and so are those that are not there", async () => {
    const tasks = [
      { ref: "a", title: "A", blocked_by: ["b"] },
      { ref: "b", title: "B", blocked_by: ["a"] },
    ];
    expect(wordOf(await ask("POST /api/code/tasks/batch", { token: lea, body: { tasks } }))).toBe(
      "409 CYCLIC_DEPENDENCY",
    );
    const body = { title: "C", blocked_by: [crypto.randomUUID()] };
    expect(wordOf(await ask("POST /api/code/tasks", { token: lea, body }))).toBe("422 VALIDATION_ERROR");
    const strange = { title: "C", blocked_by: [{ task: "a", on_failure: "explode" }] };
    expect(wordOf(await ask("POST /api/code/tasks", { token: lea, body: strange }))).toBe(
      "422 VALIDATION_ERROR",
    );
  });

  test("that failed leave who waits for them blocked, with the reason; a retry takes their place", async () => {
    const blocker = await make({ title: "The blocker" });
    const waits = await make({ title: "It waits", blocked_by: [blocker.id] });
    const falls = await make({ title: "It falls", blocked_by: [{ task: blocker.id, on_failure: "fail" }] });
    const task = await begin();
    expect(wordOf(await ask(`POST /api/code/tasks/${blocker.id}/retry`, { token: lea, body: {} }))).toBe(
      "409 NOT_FAILED",
    );
    expect(await act(task, "fail", { error: "no way" })).toBe("failed");
    expect(await look(waits.id)).toMatchObject({ status: "blocked", needs_attention: true });
    expect((await look(waits.id)).blocked_reason).toBe(`${blocker.id} ended without success.`);
    expect((await look(falls.id)).blocked_reason).toMatch(/was to fail with it/);

    const again = { token: lea, body: { client_event_id: "again" } };
    const copy = wanted<CodeTask>(201, await ask(`POST /api/code/tasks/${blocker.id}/retry`, again));
    expect(copy).toMatchObject({ title: "The blocker", retry_of: blocker.id, status: "ready" });
    const replayed = await ask(`POST /api/code/tasks/${blocker.id}/retry`, again);
    expect([replayed.body.id, replayed.headers.get("idempotent-replayed")]).toEqual([copy.id, "true"]);
    expect(await look(waits.id)).toMatchObject({ needs_attention: false, blocked_reason: null });
    const retried = await begin();
    expect(retried.id).toBe(copy.id);
    expect(await act(retried, "complete", { commit: "2" })).toBe("completed");
    expect([(await look(waits.id)).status, (await look(falls.id)).status]).toEqual(["ready", "ready"]);
    expect((await shop.engine.verify("main")).differences).toEqual([]);
  });

  test("met on the way become a task, one for all who met the same, and holds where that is switched off", async () => {
    const [one, two] = [await make({ priority: 9 }), await make({ priority: 9 })];
    const first = await begin();
    const second = await begin();
    expect([first.id, second.id]).toEqual([one.id, two.id]);
    const description = "the staging database is down";
    expect(await act(first, "block", { description })).toBe("blocked");
    expect(await act(second, "block", { description })).toBe("blocked");
    const [{ task_id: clearing }] = (await look(one.id)).blocked_by as [{ task_id: string }];
    expect((await look(two.id)).blocked_by).toMatchObject([{ task_id: clearing }]);
    expect(await look(clearing)).toMatchObject({
      title: `Clear the way: ${description}`,
      description,
      status: "ready",
    });
    const cleared = await begin();
    expect(cleared.id).toBe(clearing);
    expect(await act(cleared, "block", { blocker_id: one.id })).toBe("CYCLIC_DEPENDENCY");
    expect(await act(cleared, "block", { blocker_id: crypto.randomUUID() })).toBe("NOT_FOUND");
    expect(await act(cleared, "complete", { commit: "3" })).toBe("completed");
    expect([(await look(one.id)).status, (await look(two.id)).status]).toEqual(["ready", "ready"]);

    const third = await begin();
    expect(await act(third, "block", { blocker_id: clearing })).toBe("BLOCKER_FINISHED");
    expect(await act(third, "block", { blocker_id: two.id })).toBe("blocked");
    expect(await look(third.id)).toMatchObject({ status: "blocked", worker: null });

    await make({ title: "By hand", auto_unblock: false, priority: 10 });
    const manual = await begin();
    expect(await act(manual, "block", { description })).toBe("blocked");
    expect(await look(manual.id)).toMatchObject({ needs_attention: true, blocked_by: [] });
    await act(manual, "clear_blocker", {}, { token: lea });
    expect(await look(manual.id)).toMatchObject({ status: "ready", needs_attention: false });
    expect((await shop.engine.verify("main")).differences).toEqual([]);
  });
});

describe("the system", () => {
  test("brings a task back whose worker is silent, and counts the attempt once", async () => {
    const { id } = await make({ priority: 20 });
    await begin();
    await shop.engine.sweep({ now: Date.now() + 61_000 });
    expect(await look(id)).toMatchObject({ status: "ready", attempts: 1, worker: null });
    expect((await look(id)).runs).toMatchObject([{ outcome: "lost" }]);
  });

  test("brings a claim back that nobody began; one that is worn out asks for attention", async () => {
    const { id } = await make({ priority: 21, max_attempts: 1 });
    await claim();
    await shop.engine.sweep({ now: Date.now() + 11 * 60_000 });
    expect(await look(id)).toMatchObject({ status: "ready", attempts: 1, needs_attention: true });
  });

  test("reports work that takes too long, and does not move it", async () => {
    await make({ priority: 22 });
    const task = await begin();
    const beat = { token: wim, body: { leases: [{ task_id: task.id, lease_token: task.lease_token }] } };
    await shop.sql`update pawl.task set due_at = now(), due_action = 'report_stuck', entered_at = now() - interval '2 hours' where id = ${task.id}`;
    await ask("POST /api/heartbeats", beat);
    await shop.engine.sweep();
    expect(await look(task.id)).toMatchObject({ status: "in_progress", stuck: true, needs_attention: true });
    const summary = wanted(200, await ask("GET /api/code/summary", { token: vic }));
    expect(summary).toMatchObject({ stuck: 1 });
    const figures = await ask("GET /metrics");
    expect(figures.text).toContain('pawl_tasks_needing_attention{lifecycle="code",status="in_progress"} 1\n');
    expect(await act(task, "complete", { commit: "4" })).toBe("completed");
  });
});

describe("what an agent says", () => {
  const say = (task: CodeTask & { run: number }, text: string, token = wim, lease_token = task.lease_token) =>
    ask(`POST /api/code/tasks/${task.id}/output`, { token, body: { lease_token, run: task.run, text } });

  test("is kept by attempt, told live, and taken from the lease's worker alone", async () => {
    const { id } = await make({ priority: 30 });
    const task = await begin();
    const heard: unknown[] = [];
    const leaving = new AbortController();
    const { createClient } = await import("../../../src/client/index.ts");
    const { CODE_ROUTES } = await import("../../../src/lifecycles/code/index.ts");
    const calls = createClient({ url: shop.url, token: vic }).calls(CODE_ROUTES);
    const listening = (async () => {
      for await (const { text, run, position } of calls.streamCodeOutput(
        { id },
        { signal: leaving.signal },
      )) {
        heard.push([position, run, text]);
        if (heard.length === 3) leaving.abort();
      }
    })();
    expect((await say(task, "reading …\n")).body).toEqual({ kept: true });
    expect((await say(task, "writing …\n")).body).toEqual({ kept: true });
    expect(wordOf(await say(task, "me too", wen))).toBe("409 LEASE_LOST");
    expect(wordOf(await say(task, "me too", wim, crypto.randomUUID()))).toBe("409 LEASE_LOST");
    expect(wordOf(await say(task, "me too", wim, "nonsense"))).toBe("409 LEASE_LOST");
    const summary = wanted(200, await ask("GET /api/code/summary", { token: vic }));
    expect(summary.at_work).toContainEqual(
      expect.objectContaining({ task_id: id, worker: "wim", last_line: "writing …" }),
    );
    expect(await act(task, "retry", { error: "no" })).toBe("claimed");
    expect(await act(task, "start", { worktree: "/w", branch: "b" })).toBe("in_progress");
    await say({ ...task, run: (await look(id)).row_version }, "once more\n");
    await listening;
    expect(heard).toEqual([
      [1, 3, "reading …\n"],
      [2, 3, "writing …\n"],
      [3, 5, "once more\n"],
    ]);
    expect((await look(id)).log).toBe("once more\n");
    expect((await ask(`GET /api/code/tasks/${id}/log`, { token: vic })).text).toBe("once more\n");
    expect((await ask(`GET /api/code/tasks/${id}/log?run=3`, { token: vic })).text).toBe(
      "reading …\nwriting …\n",
    );
    expect(await act(task, "complete", { commit: "5" })).toBe("completed");
    expect(wordOf(await say(task, "too late"))).toBe("409 LEASE_LOST");
  });

  test("is kept to a limit: a talkative one fills no database", async () => {
    await make({ priority: 31 });
    const task = await begin();
    const text = "x".repeat(65_536);
    const kept: unknown[] = [];
    for (let piece = 0; piece < 66; piece++) kept.push((await say(task, text)).body.kept);
    expect(kept.filter(Boolean)).toHaveLength(64);
    expect(wordOf(await say(task, `${text}x`))).toBe("422 VALIDATION_ERROR");
    expect(await act(task, "complete", { commit: "6" })).toBe("completed");
  });
});

describe("the token of a task's agent", () => {
  test("opens this task and what lies beside it, and nothing else", async () => {
    await shop.directory.addProject(
      {
        org_id: "main",
        actor: ((await shop.directory.authenticate(shop.admin)) as never as { actor: never }).actor,
      },
      { id: "shed" },
    );
    const other = await make({ title: "Another" });
    await make({ priority: 40 });
    const task = await begin();
    const made = (token: string, body: object = { lease_token: task.lease_token }) =>
      ask(`POST /api/code/tasks/${task.id}/agent-token`, { token, body });
    expect(wordOf(await made(wen))).toBe("409 LEASE_LOST");
    const { token } = wanted<{ token: string }>(201, await made(wim));
    const may = async (what: string, body?: unknown) => wordOf(await ask(what, { token, body }));

    expect(await may(`GET /api/code/tasks/${task.id}`)).toBe("200");
    expect(await may(`GET /api/tasks/${task.id}`)).toBe("200");
    expect(await may(`GET /api/tasks/${task.id}/actions`)).toBe("200");
    expect(await may(`GET /api/code/tasks/${other.id}`)).toBe("404 TASK_NOT_FOUND");
    expect(await may(`GET /api/tasks/${other.id}`)).toBe("404 TASK_NOT_FOUND");
    expect(await may("GET /api/code/tasks")).toBe("403 TOKEN_CONFINED");
    expect(await may("GET /api/tasks")).toBe("403 TOKEN_CONFINED");
    expect(await may("GET /api/code/graph")).toBe("403 TOKEN_CONFINED");
    expect(await may("POST /api/code/claims", {})).toBe("403 TOKEN_CONFINED");
    expect(await may("POST /api/claims", { lifecycle: "code" })).toBe("403 TOKEN_CONFINED");
    expect(await may("GET /api/members")).toBe("403 TOKEN_CONFINED");
    expect(await may("GET /api/events")).toBe("403 TOKEN_CONFINED");

    const move = `POST /api/code/tasks/${task.id}/transitions`;
    expect(await may(move, { action: "comment", comment: "Half of it is done" })).toBe("200");
    expect(await may(move, { action: "report_obstacle", payload: { description: "no network" } })).toBe(
      "200",
    );
    for (const action of ["complete", "record_merge"])
      for (const path of [move, `POST /api/tasks/${task.id}/transitions`])
        expect(
          await may(path, { action, payload: { commit: "a".repeat(40) }, lease_token: task.lease_token }),
        ).toBe("403 FORBIDDEN");
    expect(await may(`POST /api/tasks/${other.id}/transitions`, { action: "comment", comment: "Hm" })).toBe(
      "404 TASK_NOT_FOUND",
    );
    expect(await may("POST /api/code/tasks", { title: "A follow-up" })).toBe("201");
    expect(
      await may("POST /api/tasks", { lifecycle: "code", title: "A follow-up", project_id: "shed" }),
    ).toBe("201");
    expect(await may("POST /api/tasks", { lifecycle: "board", title: "Else", description: "x" })).toBe(
      "403 TOKEN_CONFINED",
    );
    for (const path of ["/api/tasks/batch", "/api/code/tasks/batch"]) {
      const many = [{ lifecycle: "code", title: "A follow-up", project_id: "shed" }];
      expect(await may(`POST ${path}`, { tasks: many })).toBe("201");
    }
    const elsewhere = [{ lifecycle: "board", title: "Else", description: "x", project_id: "shed" }];
    expect(await may("POST /api/tasks/batch", { tasks: elsewhere })).toBe("403 TOKEN_CONFINED");
    const [row] = await shop.sql<{ projects: string[] }[]>`
      select array_agg(distinct project_id) as projects from pawl.task where title = 'A follow-up'`;
    expect(row?.projects).toEqual(["main"]);
  });

  test("is over when its time is", async () => {
    await make({ priority: 41 });
    const task = await begin();
    const body = { lease_token: task.lease_token, lasts_seconds: 1 };
    const { token } = wanted<{
      token: string;
    }>(201, await ask(`POST /api/code/tasks/${task.id}/agent-token`, { token: wim, body }));
    await expect.poll(async () => wordOf(await ask("GET /api/me", { token }))).toBe("401 INVALID_TOKEN");
  });
});
