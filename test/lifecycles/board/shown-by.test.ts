import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { startSweeper } from "../../../src/engine/upkeep/sweeper.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ask, cat } = server;

/** Works until no task is left: claims the next one, or takes over a stuck one. With `crashes`, stops after its first claim. */
async function agent(token: string, workspace_id: string, { crashes = false } = {}): Promise<void> {
  const send = (path: string, body: JsonObject) =>
    ask(`POST /api/board/${path}`, { token, body: { comment: "on it", ...body } });
  for (;;) {
    const next = (await send("claim-next", { workspace_id })).body.tasks as { id: string }[];
    const open = await ask(
      `GET /api/board/tasks?workspace_id=${workspace_id}&status=NEW,IN_PROGRESS,BLOCKED,STUCK&limit=200`,
      { token },
    );
    const tasks = open.body.tasks as { id: string; status: string; has_unresolved_blockers: boolean }[];
    if (tasks.length === 0 && next.length === 0) return;
    if (crashes && next.length > 0) return;
    const mine = next.map(({ id }) => id);
    for (const { id, status } of tasks)
      if (status === "STUCK" && (await send(`tasks/${id}/takeover`, {})).status === 200) mine.push(id);
    for (const id of mine) {
      const done = await send(`tasks/${id}/transitions`, { action: "complete" });
      expect(done.body.task ?? done.body).toMatchObject({ status: "DONE" });
    }
  }
}

test("ten agents claim every task once, take over the task of a crashed agent, and wait for blockers", async () => {
  await ask("POST /api/projects", {
    body: { id: "shown", settings: { board: { status_deadlines: { IN_PROGRESS: 0.02 } } } },
  });
  const sweeper = startSweeper(() => server.testEngine.engine.sweep(), { everyMs: 200 });
  // Forty tasks in layers: each waits for one or two tasks of the layer before.
  const tasks = Array.from({ length: 40 }, (_, n) => ({
    ref: `t${n}`,
    title: `Step number ${n}`,
    description: "A step",
    blocked_by:
      n < 8
        ? []
        : [`t${n - 8}`, `t${n - 8 + (n % 7 === 0 ? -((n - 8) % 8) : 0)}`].filter(
            (ref, i, all) => all.indexOf(ref) === i,
          ),
  }));
  const created = await ask("POST /api/board/tasks/batch", {
    token: cat,
    body: { workspace_id: "shown", tasks },
  });
  expect(created.status).toBe(201);
  const tokens = await Promise.all(
    Array.from({ length: 10 }, (_, n) => server.member({ id: `a${n}`, kind: "agent", roles: ["agent"] })),
  );
  await agent(tokens[0] as string, "shown", { crashes: true });
  const stuck = () => ask("GET /api/board/tasks?workspace_id=shown&status=STUCK");
  await expect.poll(async () => (await stuck()).body.tasks).toHaveLength(1);
  // The other agents get enough time even on a slow machine.
  await ask("PATCH /api/projects/shown", {
    body: { settings: { board: { status_deadlines: { IN_PROGRESS: 60 } } } },
  });
  await Promise.all(tokens.slice(1).map((token) => agent(token, "shown")));
  await sweeper.stop();

  const ids = (created.body.tasks as { id: string; blocked_by: string[] }[]).map(({ id }) => id);
  const results = await Promise.all(ids.map((id) => server.getTask(cat, id)));
  const doneAt = new Map<string, number>();
  const startedAt = new Map<string, number>();
  let takenOver = 0;
  for (const { task, events } of results) {
    expect(task.status).toBe("DONE");
    expect(events.filter(({ type }) => type === "claimed")).toHaveLength(1);
    takenOver += events.filter(({ type }) => type === "taken_over").length;
    const at = (status: string) =>
      Date.parse(String(events.find((event) => event.new_status === status)?.created_at));
    startedAt.set(task.id, at("IN_PROGRESS"));
    doneAt.set(task.id, at("DONE"));
    expect(events).toHaveLength(task.row_version);
  }
  expect(takenOver).toBeGreaterThan(0);
  for (const { task } of results)
    for (const blocker of task.blocked_by as string[])
      expect(startedAt.get(task.id)).toBeGreaterThanOrEqual(doneAt.get(blocker) ?? Infinity);
  expect((await server.testEngine.engine.verify("main")).differences).toEqual([]);
});
