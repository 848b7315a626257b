import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { Chance } from "../../src/demo/chance.ts";
import { Stage } from "../../src/demo/stage.ts";
import { BOT_ACTIONS_ROUTES } from "../../src/lifecycles/bot-actions/index.ts";
import { CHATS_EN } from "../../src/lifecycles/bot-actions/demo/chats-en.ts";
import { members, play } from "../../src/lifecycles/bot-actions/demo/scene.ts";
import { startTestServer } from "../http/test-server.ts";
import { until } from "../support/until.ts";

test("the bot of the demo shows an action for a visitor's message, and answers it", async () => {
  const server = await startTestServer();
  const tokens = new Map<string, string>();
  for (const member of typeof members === "function" ? members("en") : members)
    tokens.set(member.id, await server.member({ id: member.id, roles: member.roles ?? [] }));
  const stage = new Stage({
    ...{ url: server.url, tokens, chance: new Chance(1), language: "en", pace: 5 },
    onProblem: () => undefined,
  });
  const played = play(stage);
  onTestFinished(async () => {
    stage.end();
    await played.catch(() => undefined);
  });
  const visitor = createClient({ url: server.url, token: server.admin }).calls(BOT_ACTIONS_ROUTES);
  const chat = { workspaceId: "main", chatId: CHATS_EN.chatIds.julia };
  const texts = async () =>
    (await visitor.listChatMessages({ ...chat, limit: 200 })).messages.map(({ text }) => text);
  // The script has begun.
  await until(async () => (await texts()).length > 0);
  await visitor.sayInChat({ ...chat, text: "Hello, is anybody there?" });
  await until(async () => {
    const { actions } = await visitor.listBotActions({ ...chat, status: "done" });
    return actions.some(({ displayText }) => displayText === CHATS_EN.thinking);
  });
  const answer = await until(async () => (await texts()).find((text) => CHATS_EN.replies.includes(text)));
  expect(CHATS_EN.replies).toContain(answer);
});
