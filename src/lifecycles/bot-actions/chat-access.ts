import { v7 as uuidv7 } from "uuid";
import { onWire } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import { wrongField } from "../../plugin/index.ts";
import type { Caller, Directory, Engine } from "../../plugin/index.ts";
import { chatId as chatIdSchema } from "./bot-action.ts";
import type { ChatReaders } from "./bot-action.ts";
import { mayRead, noChat } from "./readers.ts";
import type { Readers } from "./readers.ts";
import { findUnknownMembers, lockReaders, readReaders, saveReaders } from "./sql/chat-readers.ts";
import type { ReadersRow } from "./sql/chat-readers.ts";

type ChatKey = { workspaceId: string; chatId: string };

/** Decides which members may read which chats, and keeps the lists of readers. */
export class ChatAccess {
  private readonly engine: Engine;
  private readonly directory: Directory;

  constructor(engine: Engine, directory: Directory) {
    this.engine = engine;
    this.directory = directory;
  }

  /** Returns the chat of a request if the caller and its token may read it. Any valid id is a chat: chats are not registered. */
  async chat(caller: Caller, id: string, workspace: string | null | undefined): Promise<ChatKey | Refusal> {
    const confined = confinedRefusal(caller, { workspaceId: workspace ?? "main", chatId: id });
    const chat = confined ?? (await this.find(caller, id, workspace));
    if (isRefusal(chat)) return chat;
    const list = await this.row(caller, chat);
    return mayRead(caller.actor, list?.readers ?? null) ? chat : noChat(chat.chatId);
  }

  /** Returns the list of a chat, to its readers and to admins. */
  async readers(
    caller: Caller,
    id: string,
    workspace: string | null | undefined,
  ): Promise<ChatReaders | Refusal> {
    const chat = await this.find(caller, id, workspace);
    if (isRefusal(chat)) return chat;
    const list = await this.row(caller, chat);
    const shown = isAdmin(caller.actor) || mayRead(caller.actor, list?.readers ?? null);
    return shown ? onTheWire(chat, list) : noChat(chat.chatId);
  }

  /** Replaces the list of a chat. The same list again changes nothing. The route admits admins only. */
  async setReaders(
    caller: Caller,
    id: string,
    { workspaceId, readers: sent }: { workspaceId?: string | null | undefined; readers: Readers },
  ): Promise<ChatReaders | Refusal> {
    const { org_id, actor } = caller;
    const chat = await this.find(caller, id, workspaceId);
    if (isRefusal(chat)) return chat;
    const readers = sent && [...new Set(sent)].sort();
    const key = { project_id: chat.workspaceId, chat_id: chat.chatId };
    const result = await this.engine.transaction(async (tx) => {
      await lockReaders(tx, org_id, key);
      const [unknown] = readers ? await findUnknownMembers(tx, org_id, readers) : [];
      if (unknown !== undefined) return wrongField("readers", `there is no member "${unknown}"`);
      const before = await readReaders(tx, org_id, key);
      if (isSameList(before?.readers ?? null, readers)) return { kind: "kept" as const, row: before };
      const change = { ...key, readers, changed_by: actor.id, event_id: uuidv7() };
      return { kind: "changed" as const, row: await saveReaders(tx, org_id, change) };
    });
    if (isRefusal(result)) return result;
    if (result.kind === "changed") this.engine.commits.notify(org_id);
    return onTheWire(chat, result.row);
  }

  private async find(
    caller: Caller,
    id: string,
    workspace: string | null | undefined,
  ): Promise<ChatKey | Refusal> {
    const parsed = chatIdSchema.safeParse(id);
    if (!parsed.success)
      return refuse("NOT_FOUND", `Invalid chatId: it ${parsed.error.issues[0]?.message ?? "is malformed"}.`);
    const project = await this.directory.project(caller, workspace ?? "main");
    return isRefusal(project) ? project : { workspaceId: project.id, chatId: parsed.data };
  }

  private row({ org_id }: Caller, { workspaceId, chatId }: ChatKey): Promise<ReadersRow | null> {
    return this.engine.transaction((tx) =>
      readReaders(tx, org_id, { project_id: workspaceId, chat_id: chatId }),
    );
  }
}

/** Refuses a callback token, except one that was created to read this chat. */
function confinedRefusal({ confined_to }: Caller, chat: ChatKey): Refusal | null {
  if (confined_to?.kind !== "chat") return null;
  const isOwn = confined_to.workspace_id === chat.workspaceId && confined_to.chat_id === chat.chatId;
  if (isOwn && confined_to.read === true) return null;
  const reason = isOwn ? "was created without `read`" : "belongs to another chat";
  return refuse("TOKEN_CONFINED", `This callback token ${reason}.`, chat);
}

function isAdmin({ id, roles }: Actor): boolean {
  return id === null || roles.includes("admin");
}

function isSameList(one: Readers, other: Readers): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function onTheWire(chat: ChatKey, row: ReadersRow | null): ChatReaders {
  const { readers = null, changed_by = null, changed_at = null } = row ?? {};
  return {
    ...chat,
    readers,
    changedBy: changed_by,
    changedAt: changed_at === null ? null : onWire(changed_at),
  };
}
