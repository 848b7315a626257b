// A bot in a chat: it works five seconds on each message and shows what it is doing.
//   PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/chat-line/run.ts
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "pawl/client";
import { BOT_ACTIONS_ROUTES } from "pawl/lifecycles/bot-actions";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const chat = { workspaceId: "main", chatId: "demo" };

const admin = createClient({ url, token });
await admin.createMember({ id: "bot", kind: "service", roles: ["agent"] }).catch(() => undefined);
const bot = createClient({ url, token: (await admin.createToken({ id: "bot" })).token }).calls(
  BOT_ACTIONS_ROUTES,
);

console.log(`The bot listens to the chat "${chat.chatId}".`);
for await (const event of bot.streamChatEvents(chat))
  if (event.type === "message" && event.message.authorId !== "bot") void answer(event.message);

async function answer({ id, text }: { id: string; text: string }): Promise<void> {
  // The action's id is derived from the message's id, so a message that is received twice starts one action.
  const action = { ...chat, actionId: `answer to ${id}` };
  await bot.startBotAction({ ...action, actionType: "summarize" });
  await pause(2_500);
  await bot.startBotAction({ ...action, actionType: "summarize", displayText: "Почти готово…" });
  await pause(2_500);
  await bot.sayInChat({ ...chat, text: `Если коротко: ${text.slice(0, 40)}` });
  await bot.updateBotAction({ ...action, status: "done" });
}
