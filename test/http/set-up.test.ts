import { expect, test } from "vitest";
import { defineLifecycle } from "../../src/core/index.ts";
import { z } from "zod";
import { startTestServer, outcomeOf } from "./test-server.ts";

/** A lifecycle whose guard reads a fact without a loader. */
const unready = defineLifecycle({
  name: "unready",
  version: 1,
  summary: "Reads what nothing loads",
  statuses: { open: {}, done: { final: true } },
  facts: z.object({ weather: z.string() }),
  actions: { close: { facts: ["weather"] } },
  creation: { input: z.object({}), to: [{ status: "open" }], draft: () => ({ title: "A task", data: {} }) },
  rules: [{ action: "close", from: "open", to: "done", who: "anyone" }],
});

const server = await startTestServer({ lifecycles: [unready], server: { plugins: [] } });
const { body: task } = await server.ask("POST /api/tasks", { body: { lifecycle: "unready" } });
const path = `/api/tasks/${String(task.id)}`;

test("a missing fact loader is reported as 501 NOT_SET_UP, not as the caller's mistake", async () => {
  for (const [what, body] of [
    [`GET ${path}/actions`, undefined],
    [`POST ${path}/transitions`, { action: "close" }],
  ] as const) {
    const reply = await server.ask(what, { body });
    expect(outcomeOf(reply), reply.text).toBe("501 NOT_SET_UP");
    expect(reply.body.detail).toContain('"weather"');
  }
});

test("in a batch, only the action with the missing fact gets the problem", async () => {
  const reply = await server.ask("POST /api/transitions", {
    body: [
      { id: "0197a000-0000-7000-8000-000000000001", action: "close" },
      { id: task.id, action: "close" },
    ],
  });
  expect(reply.body).toMatchObject([
    { status: 404, code: "TASK_NOT_FOUND" },
    { status: 501, code: "NOT_SET_UP" },
  ]);
});
