import { expect, test } from "vitest";
import { defineLifecycle } from "../../src/core/index.ts";
import { z } from "zod";
import { openFrontDesk, wordOf } from "./front-desk.ts";

/** Its guard reads a fact that nobody has brought a loader for. */
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

const desk = await openFrontDesk({ lifecycles: [unready], server: { plugins: [] } });
const { body: task } = await desk.ask("POST /api/tasks", { body: { lifecycle: "unready" } });
const place = `/api/tasks/${String(task.id)}`;

test("what the set-up lacks is told as such, and is nobody's mistake who asks", async () => {
  for (const [what, body] of [
    [`GET ${place}/actions`, undefined],
    [`POST ${place}/transitions`, { action: "close" }],
  ] as const) {
    const heard = await desk.ask(what, { body });
    expect(wordOf(heard), heard.text).toBe("501 NOT_SET_UP");
    expect(heard.body.detail).toContain('"weather"');
  }
});

test("among many moves the one that cannot be made is told in its place", async () => {
  const heard = await desk.ask("POST /api/transitions", {
    body: [
      { id: "0197a000-0000-7000-8000-000000000001", action: "close" },
      { id: task.id, action: "close" },
    ],
  });
  expect(heard.body).toMatchObject([
    { status: 404, code: "TASK_NOT_FOUND" },
    { status: 501, code: "NOT_SET_UP" },
  ]);
});
