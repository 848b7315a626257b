import { v7 as uuidv7 } from "uuid";
import type { BotAction, BotActionStatus, ChatMessage } from "./bot-action.ts";
import { canSee, isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import { withIdempotencyKey, findByDedupeKey } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult } from "../../plugin/index.ts";
import { botActionOf, chatMessageOf } from "./bot-action-on-wire.ts";
import { botActions, keyOfAction } from "./lifecycle.ts";
import { listBotActions } from "./sql/list-bot-actions.ts";
import { listMessages } from "./sql/list-messages.ts";
import type { MessageFilter } from "./sql/list-messages.ts";
import { saveMessage } from "./sql/save-message.ts";

type Key = { client_event_id: string | null };
type ActionKey = { workspaceId: string; chatId: string; actionId: string };
type ActionContent = { displayText?: string | null | undefined; payload?: JsonObject | null | undefined };
type ActionResult = { action: BotAction; replayed: boolean };

const LIFECYCLE = botActions.name;

/** The indicator shows only one of them. */
const MAX_LISTED_ACTIONS = 200;

/** Implements bot actions and chat messages on top of the engine. */
export class BotActionService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Creates the action, or performs `start` on the existing one. */
  async start(
    caller: Caller,
    {
      workspaceId,
      chatId,
      actionId,
      actionType,
      ...content
    }: ActionKey & { actionType: string } & ActionContent,
    { client_event_id }: Key,
  ): Promise<ActionResult | Refusal> {
    const action = {
      lifecycle: LIFECYCLE,
      project_id: workspaceId,
      chatId,
      actionId,
      actionType,
      ...contentOf(content),
    };
    for (;;) {
      const creation = await this.engine.create(caller, [action], { client_event_id });
      if (isRefusal(creation)) return creation;
      const [[task], [existing]] = [creation.tasks, creation.existing];
      if (!task) throw new Error("create returned no task");
      if (!existing) return { action: botActionOf(task), replayed: creation.replayed };
      const again = await this.engine.perform(caller, {
        lifecycle: LIFECYCLE,
        task_id: task.id,
        action: "start",
        payload: contentOf(content),
        // The key itself is already used by the creation that found the action.
        client_event_id: client_event_id === null ? null : `${client_event_id} (again)`,
      });
      if (again.kind === "performed") return { action: botActionOf(again.task), replayed: again.replayed };
      if (again.code !== "TASK_NOT_FOUND") return again;
      // The action was pruned, but its key is still stored: repeat the first answer.
      if (creation.replayed) return { action: botActionOf(task), replayed: true };
      // Pruned between the two calls: create it again.
    }
  }

  async update(
    caller: Caller,
    { status, displayText, payload, ...actionKey }: ActionKey & { status: "done" | "error" } & ActionContent,
    { client_event_id }: Key,
  ): Promise<ActionResult | Refusal> {
    const key = { lifecycle: LIFECYCLE, dedupe_key: keyOfAction(actionKey) };
    const [found] = await this.engine.transaction((tx) => findByDedupeKey(tx, caller.org_id, [key]));
    if (!found || !canSee(caller.actor, found)) return unknownAction(actionKey.actionId);
    const done = await this.engine.perform(caller, {
      lifecycle: LIFECYCLE,
      task_id: found.id,
      action: "update",
      payload: { status, ...contentOf({ displayText, payload }) },
      client_event_id,
    });
    if (isRefusal(done)) return done.code === "TASK_NOT_FOUND" ? unknownAction(actionKey.actionId) : done;
    return { action: botActionOf(done.task), replayed: done.replayed };
  }

  async list(
    { org_id }: Caller,
    { status, ...chat }: { workspaceId: string; chatId: string; status: BotActionStatus },
  ): Promise<BotAction[]> {
    const { final = false } = botActions.statuses[status] ?? {};
    const filter = { ...chat, status, final, limit: MAX_LISTED_ACTIONS };
    const rows = await this.engine.transaction((tx) => listBotActions(tx, org_id, filter));
    return rows.map(botActionOf);
  }

  async say(
    { org_id, actor }: Caller,
    { workspaceId, chatId, text }: { workspaceId: string; chatId: string; text: string },
    { client_event_id }: Key,
  ): Promise<IdempotentResult<ChatMessage> | Refusal> {
    const message = {
      id: uuidv7(),
      project_id: workspaceId,
      chat_id: chatId,
      author_id: actor.id ?? "system",
      text,
      client_event_id,
    };
    const request = { client_event_id, actor, meaning: ["say", workspaceId, chatId, text] };
    const result = await this.engine.transaction((tx) =>
      withIdempotencyKey(tx, org_id, request, async () =>
        chatMessageOf(await saveMessage(tx, org_id, message)),
      ),
    );
    if (result.kind === "done" && !result.replayed) this.engine.commits.notify(org_id);
    return result;
  }

  async messages({ org_id }: Caller, filter: MessageFilter): Promise<ChatMessage[]> {
    const rows = await this.engine.transaction((tx) => listMessages(tx, org_id, filter));
    return rows.map(chatMessageOf);
  }
}

function contentOf({ displayText = null, payload = null }: ActionContent): JsonObject {
  return { displayText, payload };
}

function unknownAction(actionId: string): Refusal {
  const detail = `Действие с actionId '${actionId}' не найдено. Сначала вызовите start.`;
  return refuse("UNKNOWN_ACTION_ID", detail, { actionId });
}
