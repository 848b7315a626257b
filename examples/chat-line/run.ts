// A bot in a chat: it takes five seconds for each message, and says meanwhile what it is busy with.
//   PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/chat-line/run.ts
import { setTimeout as work } from "node:timers/promises";
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
  // The message's id makes the action's: whoever reads the message twice starts nothing twice.
  const action = { ...chat, actionId: `answer to ${id}` };
  await bot.startBotAction({ ...action, actionType: "summarize" });
  await work(2_500);
  await bot.startBotAction({ ...action, actionType: "summarize", displayText: "Почти готово…" });
  await work(2_500);
  await bot.sayInChat({ ...chat, text: `Если коротко: ${text.slice(0, 40)}` });
  await bot.updateBotAction({ ...action, status: "done" });
}
