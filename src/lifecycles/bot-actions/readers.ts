import { refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";

/** The members that may read a chat; null: every member of the project. */
export type Readers = readonly string[] | null;

/** Refuses a chat that the caller may not read, like one that does not exist. */
export function noChat(chatId: string): Refusal {
  return refuse("NOT_FOUND", `There is no chat "${chatId}" that you can read.`);
}

/** Whether a list of readers includes an actor. Admins manage lists, but read only the chats that list them. */
export function mayRead({ id }: Pick<Actor, "id">, readers: Readers | undefined): boolean {
  return id === null || !readers || readers.includes(id);
}
