import { expect, test } from "vitest";
import type { InsightsOnWire } from "../../../src/api/index.ts";
import { startChatServer } from "./chat-test-server.ts";

const server = await startChatServer();
const { ask, start, update, ann, vic } = server;

async function created(token: string): Promise<{ created: number; finished: number; open: number }> {
  await server.engine.past.rollUp();
  const reply = await ask("GET /api/insights?lifecycle=bot-actions", { token });
  const { projects } = reply.body as unknown as InsightsOnWire;
  const [main] = projects;
  return { created: main?.created ?? 0, finished: main?.finished ?? 0, open: main?.open ?? 0 };
}

const setReaders = (chatId: string, readers: readonly string[] | null) =>
  ask(`PUT /api/chats/${chatId}/readers`, { body: { readers } });

test("the actions of a chat leave all figures when it becomes restricted, and return when it is open again", async () => {
  await start("one");
  await start("two", { chatId: "secret" });
  await start("three", { chatId: "secret" });
  await update("three", { chatId: "secret", status: "done" });
  expect(await created(vic)).toEqual({ created: 3, finished: 1, open: 2 });
  await setReaders("secret", ["ann", "bot"]);
  await start("four", { chatId: "secret" });
  expect(await created(vic)).toEqual({ created: 1, finished: 0, open: 1 });
  // Its readers see the open actions, but figures about the past are the same for all.
  expect(await created(ann)).toEqual({ created: 1, finished: 0, open: 3 });
  await setReaders("secret", null);
  expect(await created(vic)).toEqual({ created: 4, finished: 1, open: 3 });
});
