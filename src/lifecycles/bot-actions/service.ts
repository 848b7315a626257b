import { v7 as uuidv7 } from "uuid";
import type { BotAction, BotActionStatus, ChatMessage } from "./bot-action.ts";
import { canSee, isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import { answerOnce, findByDedupeKey } from "../../plugin/index.ts";
import type { By, Engine, Once } from "../../plugin/index.ts";
import { botActionOf, chatMessageOf } from "./bot-action-on-wire.ts";
import { botActions, keyOfAction } from "./lifecycle.ts";
import { listBotActions } from "./sql/list-bot-actions.ts";
import { listMessages } from "./sql/list-messages.ts";
import type { MessagesOf } from "./sql/list-messages.ts";
import { saveMessage } from "./sql/save-message.ts";

type Key = { client_event_id: string | null };
type Place = { workspaceId: string; chatId: string; actionId: string };
type Words = { displayText?: string | null | undefined; payload?: JsonObject | null | undefined };
type Told = { action: BotAction; replayed: boolean };

const LIFECYCLE = botActions.name;

/** Nobody looks at more at once; a line shows one of them. */
const MOST_ACTIONS = 200;

/** The verbs of chats over the engine's. */
export class BotActionDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Makes the action, or tells the one that is there that it was started again. */
  async start(
    by: By,
    { workspaceId, chatId, actionId, actionType, ...words }: Place & { actionType: string } & Words,
    { client_event_id }: Key,
  ): Promise<Told | Refusal> {
    const action = {
      lifecycle: LIFECYCLE,
      project_id: workspaceId,
      chatId,
      actionId,
      actionType,
      ...wordsOf(words),
    };
    for (;;) {
      const made = await this.engine.create(by, [action], { client_event_id });
      if (isRefusal(made)) return made;
      const [[task], [existed]] = [made.tasks, made.existing];
      if (!task) throw new Error("a creation without a task");
      if (!existed) return { action: botActionOf(task), replayed: made.replayed };
      const again = await this.engine.perform(by, {
        lifecycle: LIFECYCLE,
        task_id: task.id,
        action: "start",
        payload: wordsOf(words),
        // The key itself stands for the creation that found it.
        client_event_id: client_event_id === null ? null : `${client_event_id} (again)`,
      });
      if (again.kind === "performed") return { action: botActionOf(again.task), replayed: again.replayed };
      if (again.code !== "TASK_NOT_FOUND") return again;
      // The key has outlived the action: it gets the first answer again, however often it comes.
      if (made.replayed) return { action: botActionOf(task), replayed: true };
      // Pruned between the two: then it is new after all.
    }
  }

  async update(
    by: By,
    { status, displayText, payload, ...place }: Place & { status: "done" | "error" } & Words,
    { client_event_id }: Key,
  ): Promise<Told | Refusal> {
    const key = { lifecycle: LIFECYCLE, dedupe_key: keyOfAction(place) };
    const [found] = await this.engine.transaction((tx) => findByDedupeKey(tx, by.org_id, [key]));
    if (!found || !canSee(by.actor, found)) return unknownAction(place.actionId);
    const done = await this.engine.perform(by, {
      lifecycle: LIFECYCLE,
      task_id: found.id,
      action: "update",
      payload: { status, ...wordsOf({ displayText, payload }) },
      client_event_id,
    });
    if (isRefusal(done)) return done.code === "TASK_NOT_FOUND" ? unknownAction(place.actionId) : done;
    return { action: botActionOf(done.task), replayed: done.replayed };
  }

  async list(
    { org_id }: By,
    { status, ...chat }: { workspaceId: string; chatId: string; status: BotActionStatus },
  ): Promise<BotAction[]> {
    const { final = false } = botActions.statuses[status] ?? {};
    const asked = { ...chat, status, final, limit: MOST_ACTIONS };
    const rows = await this.engine.transaction((tx) => listBotActions(tx, org_id, asked));
    return rows.map(botActionOf);
  }

  async say(
    { org_id, actor }: By,
    { workspaceId, chatId, text }: { workspaceId: string; chatId: string; text: string },
    { client_event_id }: Key,
  ): Promise<Once<ChatMessage> | Refusal> {
    const message = {
      id: uuidv7(),
      project_id: workspaceId,
      chat_id: chatId,
      author_id: actor.id ?? "system",
      text,
      client_event_id,
    };
    const intention = { client_event_id, actor, meaning: ["say", workspaceId, chatId, text] };
    const said = await this.engine.transaction((tx) =>
      answerOnce(tx, org_id, intention, async () => chatMessageOf(await saveMessage(tx, org_id, message))),
    );
    if (said.kind === "done" && !said.replayed) this.engine.commits.tell(org_id);
    return said;
  }

  async messages({ org_id }: By, asked: MessagesOf): Promise<ChatMessage[]> {
    const rows = await this.engine.transaction((tx) => listMessages(tx, org_id, asked));
    return rows.map(chatMessageOf);
  }
}

function wordsOf({ displayText = null, payload = null }: Words): JsonObject {
  return { displayText, payload };
}

function unknownAction(actionId: string): Refusal {
  const detail = `Действие с actionId '${actionId}' не найдено. Сначала вызовите start.`;
  return refuse("UNKNOWN_ACTION_ID", detail, { actionId });
}
