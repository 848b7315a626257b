import { afterAll, expect, inject, test, vi } from "vitest";
import { botActions } from "../../../src/lifecycles/bot-actions/index.ts";
import { openPawl } from "../../../src/main/open-pawl.ts";
import { testDatabases } from "../../support/postgres.ts";
import { startChatServer } from "./chat-test-server.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const server = await startChatServer({ defaults: { "bot-actions": { max_processing_hours: 2 } } });
const { engine, start } = server;
const MINUTE = 60_000;

const sweepIn = (minutes: number) =>
  engine.sweep({ now: Date.now() + minutes * MINUTE, lifecycles: ["bot-actions"] });
const errors = () => server.list("chatId=c1&status=error");

test("an action that runs for two hours ends in error, with the reason in its payload; after half an hour it still runs", async () => {
  const listener = await server.listen("c1");
  await start("long", { displayText: "Working", payload: { pages: 3 } });
  await sweepIn(30);
  await sweepIn(119);
  expect(await server.list()).toMatchObject([{ actionId: "long", status: "processing" }]);
  await sweepIn(121);
  expect(await errors()).toMatchObject([
    { actionId: "long", displayText: "Working", payload: { pages: 3, reason: "timeout" } },
  ]);
  // The chat gets the event, and a worker that comes back finds the action finished.
  await listener.until(() => listener.events.length === 2);
  expect(listener.events[1]).toMatchObject({ type: "bot_action", action: { status: "error" } });
  listener.close();
  expect((await server.update("long")).body.action).toMatchObject({ status: "error" });
});

test("the limit counts from the last update, and a project can have its own limit", async () => {
  await start("again");
  await server.sql`update pawl.task set due_at = due_at - interval '1 hour' where data ->> 'actionId' = 'again'`;
  await start("again");
  await sweepIn(90);
  expect(await server.list()).toMatchObject([{ actionId: "again" }]);

  await server.ask("PATCH /api/projects/shop", {
    body: { settings: { "bot-actions": { max_processing_hours: 0.5 } } },
  });
  await start("short", { workspaceId: "shop" });
  await sweepIn(31);
  expect(await server.list("workspaceId=shop&chatId=c1")).toEqual([]);
  expect(await server.list()).toMatchObject([{ actionId: "again" }]);
});

test("the watchdog runs at its own interval, and the sweep of other lifecycles does not change its actions", async () => {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const { url } = database;
  afterAll(async () => {
    await database.drop();
    await databases.close();
  });
  const defaults = { "bot-actions": { max_processing_hours: 0.00001 } };
  const swept: number[] = [];
  const open = (watchdogSeconds: number, more: object = {}) =>
    openPawl({
      url,
      plugins: [botActions],
      ...more,
      defaults,
      sweepSeconds: 0.05,
      settings: { botActionWatchdogIntervalMinutes: watchdogSeconds / 60 },
      observer: { swept: ({ checked }) => swept.push(checked) },
    });
  const status = async () =>
    (await slow.list(slow.asSystem(), { lifecycle: "bot-actions" })).tasks[0]?.status;
  const slow = await open(3_600);
  afterAll(() => slow.close());
  // The watchdog runs once at the start; create the action after that.
  await expect.poll(() => swept.length).toBeGreaterThan(5);
  const action = { lifecycle: "bot-actions", chatId: "c", actionId: "a", actionType: "summarize" } as const;
  await slow.create(slow.asSystem(), [action]);
  const before = swept.length;
  await vi.waitFor(
    () => {
      expect(swept.length).toBeGreaterThan(before + 5);
    },
    { timeout: WAIT_LIMIT_MS },
  );
  expect(await status()).toBe("processing");
  const quick = await open(0.05);
  afterAll(() => quick.close());
  await vi.waitFor(
    async () => {
      expect(await status()).toBe("error");
    },
    { timeout: WAIT_LIMIT_MS },
  );
  // A node prunes finished actions soon after its start.
  const pruning = await open(3_600, { retention: { days: 1e-9 } });
  afterAll(() => pruning.close());
  await vi.waitFor(
    async () => {
      expect(await status()).toBeUndefined();
    },
    { timeout: WAIT_LIMIT_MS },
  );
});
