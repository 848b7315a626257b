import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const ON = { settings: { operator_controls: true } };
const whenIn = (task: CodeTask, status: string) =>
  until(async () => (await getTask(task.id)).status === status);
const operate = (task: CodeTask, action: string, payload?: Record<string, unknown>, more: object = {}) =>
  server.act(task, action, payload, { token: server.lea, lease_token: null, ...more });
const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

describe("a running task", () => {
  test("is stopped: its agent gets a signal and then is killed, no attempt counts, and it is held until resumed", async () => {
    const { add, agent, work, note, history, folder } = await createTestRepository(server, {
      ...ON,
      // The worker would renew it every 20 minutes.
      lease_seconds: 3_600,
    });
    const task = await add("Take long");
    const worker = await work({
      killAfterMs: 500,
      agent: await agent(`
        test -e "$NOTES/go" && { echo done > done; exit 0; }
        trap 'touch "$NOTES/signalled"' TERM
        (sleep 600 & echo $! > "$NOTES/child"; wait) &
        echo $$ > "$NOTES/pid"
        while true; do sleep 0.05; done`),
    });
    await until(() => exists(`${folder}/child`));
    expect(await operate(task, "interrupt", undefined, { comment: "wrong direction" })).toBe("claimed");
    await until(() => worker.events.some(({ kind }) => kind === "lost"));
    const [pid, child] = [await note("pid"), await note("child")];
    await until(async () => !(await isAlive(pid.trim())) && !(await isAlive(child.trim())));
    expect(await exists(`${folder}/signalled`)).toBe(true);
    await server.engine.sweep({ now: Date.now() });
    expect(await getTask(task.id)).toMatchObject({
      status: "ready",
      attempts: 0,
      held: true,
      worker: null,
      runs: [{ outcome: "stopped" }],
    });
    const claim = { token: server.wen, body: { project_id: task.project_id } };
    expect((await server.ask("POST /api/code/claims", claim)).body.tasks).toEqual([]);
    expect(await history()).toEqual([]);
    await writeFile(`${folder}/go`, "");
    expect(await operate(task, "resume")).toBe("ready");
    await whenIn(task, "completed");
    expect([await history(), (await getTask(task.id)).attempts]).toEqual([["Take long"], 0]);
  });
});

describe("a question of an agent", () => {
  test("waits for a person, and the answer is in the next prompt", async () => {
    const { add, agent, work, note } = await createTestRepository(server);
    const task = await add("Paint it");
    await work({
      agent: await agent(`
        test -e "$NOTES/asked" && { cp "$PAWL_PROMPT_FILE" "$NOTES/second"; echo red > paint; exit 0; }
        touch "$NOTES/asked"
        node --input-type=module -e '
          const { PAWL_URL, PAWL_TOKEN, PAWL_TASK_ID } = process.env;
          const payload = { description: "Red or blue?", question: true };
          const body = JSON.stringify({ action: "report_obstacle", payload });
          const headers = { authorization: "Bearer " + PAWL_TOKEN, "content-type": "application/json" };
          await fetch(PAWL_URL + "/api/tasks/" + PAWL_TASK_ID + "/transitions", { method: "POST", headers, body });'`),
    });
    await whenIn(task, "blocked");
    expect(await getTask(task.id)).toMatchObject({
      blocked_reason: "Red or blue?",
      held: true,
      needs_attention: true,
      blocked_by: [],
    });
    expect(await operate(task, "clear_blocker", undefined, { comment: "Red, as the logo." })).toBe("ready");
    await whenIn(task, "completed");
    const second = await note("second");
    expect(second).toContain("- An earlier attempt: Red or blue?\n- lea: Red, as the logo.");
    expect((await getTask(task.id)).attempts).toBe(0);
  });
});

describe("a waiting task", () => {
  const prepare = async (settings: object = { operator_controls: true }) => {
    const bench = await createTestRepository(server, { settings });
    return { ...bench, task: await bench.add("Write two", { description: "Below one" }) };
  };

  test("is not withdrawn, paused, edited or reviewed if the project does not allow it", async () => {
    const { task } = await prepare({});
    const payloads = { withdraw: { reason: "old" }, edit: { title: "Other" }, pause: {}, resume: {} };
    for (const [action, payload] of Object.entries(payloads))
      expect(await operate(task, action, payload)).toBe("SETTING_OFF");
    const reply = await server.ask(`POST /api/code/tasks/${task.id}/transitions`, {
      token: server.lea,
      body: { action: "pause" },
    });
    expect(reply).toMatchObject({
      status: 409,
      body: {
        code: "SETTING_OFF",
        setting: "operator_controls",
        next: expect.stringContaining("settings") as string,
      },
    });
    expect(await getTask(task.id)).toMatchObject({ status: "ready", title: "Write two", held: false });
  });

  test("is withdrawn with a reason; its dependents follow their policy", async () => {
    const { task, add } = await prepare();
    const waits = await add("Later", { blocked_by: [task.id] });
    const proceeds = await add("Anyway", { blocked_by: [{ task: task.id, on_failure: "proceed" }] });
    expect(await operate(task, "withdraw", { reason: "no longer needed" })).toBe("failed");
    expect(await getTask(task.id)).toMatchObject({ last_error: "withdrawn: no longer needed", held: false });
    expect((await getTask(waits.id)).status).toBe("blocked");
    expect((await getTask(proceeds.id)).status).toBe("ready");
  });

  test("is withdrawn also while it is paused or waits for an answer", async () => {
    const { task } = await prepare();
    expect(await operate(task, "pause")).toBe("ready");
    expect(await operate(task, "withdraw", { reason: "old" })).toBe("failed");
    const holds = await server.sql`
      select from pawl.hold h where h.org_id = 'main' and h.task_id = ${task.id} and h.released_at is null`;
    expect(holds).toHaveLength(0);
  });

  test("is edited with a history, by its creator and leads only", async () => {
    const { task, project_id } = await prepare();
    const edit = { title: "Write three", description: null, acceptance: "It is there", priority: 9 };
    expect(await operate(task, "edit", edit, { token: server.wen })).toBe("FORBIDDEN");
    expect(await operate(task, "edit", edit)).toBe("ready");
    expect(await getTask(task.id)).toMatchObject(edit);
    const { events } = bodyOf<{ events: object[] }>(
      200,
      await server.ask(`GET /api/tasks/${task.id}/events`, { token: server.lea }),
    );
    expect(events.at(-1)).toMatchObject({ action: "edit", actor_id: "lea", payload: edit });
    expect(await operate(task, "edit", { priority: 1.5 })).toBe("VALIDATION_ERROR");
    const claim = await server.ask("POST /api/code/claims", { token: server.wim, body: { project_id } });
    expect((claim.body.tasks as CodeTask[])[0]?.title).toBe("Write three");
    expect(await operate(task, "edit", edit)).toBe("INVALID_TRANSITION");
  });

  test("is not claimed or moved while it is paused, and unblocks when it is resumed", async () => {
    const { task, add, project_id } = await prepare();
    const later = await add("Later", { blocked_by: [task.id] });
    expect(await operate(later, "pause", undefined, { comment: "wait for the release" })).toBe("blocked");
    expect(await operate(later, "pause")).toBe("ALREADY_PAUSED");
    const claim = await server.ask("POST /api/code/claims", { token: server.wim, body: { project_id } });
    const [claimed] = claim.body.tasks as [CodeTask];
    await server.act(claimed, "start", { worktree: "/w", branch: "pawl/1" });
    await server.act(claimed, "complete", { commit: "abc" });
    expect((await getTask(later.id)).status).toBe("blocked");
    expect(await operate(later, "clear_blocker")).toBe("NOT_FOUND");
    expect(await operate(later, "resume")).toBe("ready");
    expect(await operate(later, "resume")).toBe("NOT_PAUSED");
    expect(await operate(later, "pause")).toBe("ready");
    const paused = { token: server.wim, body: { project_id } };
    expect((await server.ask("POST /api/code/claims", paused)).body.tasks).toEqual([]);
    const moved = await server.act(later, "claim", undefined, { lease_token: null });
    expect(moved).toBe("OPEN_HOLDS");
    const summary = await server.ask(`GET /api/code/summary?project_id=${project_id}`, { token: server.lea });
    expect(summary.body).toMatchObject({ held: 1, by_status: { ready: 1, review: 0 } });
  });
});

/** Returns whether a process runs; a zombie does not count. */
async function isAlive(pid: string): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "Z");
  return !/^(Z$|\d+ \(.*\) [ZX])/.test(state);
}
