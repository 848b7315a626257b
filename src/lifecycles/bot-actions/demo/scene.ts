import { BOT_ACTIONS_ROUTES } from "../api.ts";
import type { DemoScript, Stage } from "../../../plugin/index.ts";
import { CHATS, FAILURES, THANKS, TURNS } from "./chats.ts";
import type { ChatTurn } from "./chats.ts";

export const members: DemoScript["members"] = [
  { id: "lumen-bot", name: "Lumen Bot", kind: "service", roles: ["agent"] },
  { id: "irina", name: "Ирина Волкова", kind: "human", roles: ["agent"] },
  { id: "pavel", name: "Павел Орлов", kind: "human", roles: ["agent"] },
  { id: "sveta", name: "Света Ким", kind: "human", roles: ["agent"] },
];

export const projects: DemoScript["projects"] = [];

const BOT = "lumen-bot";
const workspaceId = "main";

/** Customers ask questions; the bot starts an action at once, and answers when it has finished. */
export async function play(stage: Stage): Promise<void> {
  await stage.together(
    CHATS.map((chat) => {
      let left: ChatTurn[] = [];
      return stage.keepOn([15, 45], () => {
        // All questions are asked once before any is repeated.
        if (left.length === 0) left = stage.chance.some(TURNS, TURNS.length);
        return talk(stage, chat, left.pop() ?? TURNS[0]);
      });
    }),
  );
}

async function talk(
  stage: Stage,
  { chatId, customer }: (typeof CHATS)[number],
  { question, actionType, displayText, later, answer }: ChatTurn,
): Promise<void> {
  const { chance } = stage;
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
  await bot.sayInChat({ chatId, workspaceId, text: failed ? chance.pick(FAILURES) : answer });
  if (failed || chance.happens(0.5)) return;
  await stage.rest([3, 8]);
  await person.sayInChat({ chatId, workspaceId, text: chance.pick(THANKS) });
}
