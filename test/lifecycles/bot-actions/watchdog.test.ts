import { afterAll, expect, inject, test, vi } from "vitest";
import { openPawl } from "../../../src/main/open-pawl.ts";
import { testDatabases } from "../../support/postgres.ts";
import { openChatRoom } from "./chat-room.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const room = await openChatRoom({ defaults: { "bot-actions": { max_processing_hours: 2 } } });
const { engine, start } = room;
const MINUTE = 60_000;

const sweepIn = (minutes: number) =>
  engine.sweep({ now: Date.now() + minutes * MINUTE, lifecycles: ["bot-actions"] });
const errors = () => room.list("chatId=c1&status=error");

test("a job of half an hour is untouched; one of more than two hours is over, and says why beside what it said", async () => {
  const heard = await room.listen("c1");
  await start("long", { displayText: "Working", payload: { pages: 3 } });
  await sweepIn(30);
  await sweepIn(119);
  expect(await room.list()).toMatchObject([{ actionId: "long", status: "processing" }]);
  await sweepIn(121);
  expect(await errors()).toMatchObject([
    { actionId: "long", displayText: "Working", payload: { pages: 3, reason: "timeout" } },
  ]);
  // Its chat hears of it at once, and a worker who comes back finds it finished.
  await heard.until(() => heard.events.length === 2);
  expect(heard.events[1]).toMatchObject({ type: "bot_action", action: { status: "error" } });
  heard.close();
  expect((await room.update("long")).body.action).toMatchObject({ status: "error" });
});

test("it counts from when the action was last heard of, and a project may have a limit of its own", async () => {
  await start("again");
  await room.sql`update pawl.task set due_at = due_at - interval '1 hour' where data ->> 'actionId' = 'again'`;
  await start("again");
  await sweepIn(90);
  expect(await room.list()).toMatchObject([{ actionId: "again" }]);

  await room.ask("PATCH /api/projects/shop", {
    body: { settings: { "bot-actions": { max_processing_hours: 0.5 } } },
  });
  await start("short", { workspaceId: "shop" });
  await sweepIn(31);
  expect(await room.list("workspaceId=shop&chatId=c1")).toEqual([]);
  expect(await room.list()).toMatchObject([{ actionId: "again" }]);
});

test("it looks at its own interval, and the sweep of the others leaves its actions alone", async () => {
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
      ...more,
      defaults,
      sweepSeconds: 0.05,
      settings: { botActionWatchdogIntervalMinutes: watchdogSeconds / 60 },
      observer: { swept: ({ looked_at }) => swept.push(looked_at) },
    });
  const status = async () =>
    (await slow.list(slow.asSystem(), { lifecycle: "bot-actions" })).tasks[0]?.status;
  const slow = await open(3_600);
  afterAll(() => slow.close());
  // It looks once when it begins; the action comes after that.
  await expect.poll(() => swept.length).toBeGreaterThan(5);
  const action = { lifecycle: "bot-actions", chatId: "c", actionId: "a", actionType: "summarize" };
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
  // What is finished goes when it is old enough, soon after a node has begun.
  const tidy = await open(3_600, { retention: { days: 1e-9 } });
  afterAll(() => tidy.close());
  await vi.waitFor(
    async () => {
      expect(await status()).toBeUndefined();
    },
    { timeout: WAIT_LIMIT_MS },
  );
});
