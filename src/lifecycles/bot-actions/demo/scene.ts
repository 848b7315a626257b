import { BOT_ACTIONS_ROUTES } from "../api.ts";
import type { DemoLanguage, DemoScript, Stage } from "../../../plugin/index.ts";
import { CHATS_EN } from "./chats-en.ts";
import { CHATS_RU } from "./chats-ru.ts";
import type { ChatContent, ChatTurn } from "./chats.ts";

const CONTENT: Readonly<Record<DemoLanguage, ChatContent>> = { en: CHATS_EN, ru: CHATS_RU };

export const members: DemoScript["members"] = (language) => {
  const { names } = CONTENT[language];
  return [
    { id: BOT, name: names[BOT], kind: "service", roles: ["agent"] },
    ...CUSTOMERS.map((id) => ({ id, name: names[id], kind: "human" as const, roles: ["agent"] })),
  ];
};

export const projects: DemoScript["projects"] = [];

const BOT = "lumen-bot";
const CUSTOMERS = ["julia", "mark", "sofia"] as const;
const workspaceId = "main";

/** Customers ask questions; the bot starts an action at once, and answers when it has finished. */
export async function play(stage: Stage): Promise<void> {
  const { turns, chatIds } = CONTENT[stage.language];
  const talks = CUSTOMERS.map((customer) => {
    let left: ChatTurn[] = [];
    return stage.keepOn([15, 45], () => {
      // All questions are asked once before any is repeated.
      if (left.length === 0) left = stage.chance.some(turns, turns.length);
      return talk(stage, customer, left.pop() ?? turns[0]);
    });
  });
  const replies = CUSTOMERS.map((customer) => {
    const answered = new Set<string>();
    let isFirst = true;
    return stage.keepOn([1, 2], async () => {
      const fresh = await findUnanswered(stage, chatIds[customer], answered);
      // Messages from before the start were answered then.
      if (!isFirst) for (const { text } of fresh) await reply(stage, chatIds[customer], text);
      isFirst = false;
    });
  });
  await stage.together([...talks, ...replies]);
}

/** Returns the messages of others than the script's members, such as the visitor of the demo, each once. */
async function findUnanswered(stage: Stage, chatId: string, answered: Set<string>) {
  const bot = stage.as(BOT).calls(BOT_ACTIONS_ROUTES);
  const { messages } = await bot.listChatMessages({ chatId, workspaceId });
  const isScripted = (id: string) => id === BOT || CUSTOMERS.some((customer) => customer === id);
  const fresh = messages.filter(({ id, authorId }) => !isScripted(authorId) && !answered.has(id));
  for (const { id } of fresh) answered.add(id);
  return fresh;
}

async function reply(stage: Stage, chatId: string, text: string): Promise<void> {
  const { chance, language } = stage;
  const bot = stage.as(BOT).calls(BOT_ACTIONS_ROUTES);
  const action = { workspaceId, chatId, actionId: chance.hex(16) };
  await bot.startBotAction({ ...action, actionType: "summarize", displayText: CONTENT[language].thinking });
  await stage.rest([3, 6]);
  await bot.updateBotAction({ ...action, status: "done" });
  const asked = CONTENT[language].turns.find(({ question }) => question === text);
  const answer = asked?.answer ?? chance.pick(CONTENT[language].replies);
  await bot.sayInChat({ chatId, workspaceId, text: answer });
}

async function talk(
  stage: Stage,
  customer: (typeof CUSTOMERS)[number],
  { question, actionType, displayText, later, answer }: ChatTurn,
): Promise<void> {
  const { chance, language } = stage;
  const { chatIds, failures, thanks } = CONTENT[language];
  const chatId = chatIds[customer];
  const person = stage.as(customer).calls(BOT_ACTIONS_ROUTES);
  const bot = stage.as(BOT).calls(BOT_ACTIONS_ROUTES);
  const action = { workspaceId, chatId, actionId: chance.hex(16) };
  await person.sayInChat({ chatId, workspaceId, text: question });
  await stage.rest([1, 3]);
  await bot.startBotAction({ ...action, actionType, displayText });
  await stage.rest([4, 12]);
  if (later !== undefined) {
    await bot.startBotAction({ ...action, actionType, displayText: later });
    await stage.rest([4, 10]);
  }
  const random = chance.number();
  // Rarely, an action takes long, and the chat shows for how long.
  if (random < 0.03) await stage.rest([45, 90]);
  const failed = random < 0.12;
  await bot.updateBotAction({ ...action, status: failed ? "error" : "done" });
  await stage.rest([0.5, 1.5]);
  await bot.sayInChat({ chatId, workspaceId, text: failed ? chance.pick(failures) : answer });
  if (failed || chance.happens(0.5)) return;
  await stage.rest([3, 8]);
  await person.sayInChat({ chatId, workspaceId, text: chance.pick(thanks) });
}
