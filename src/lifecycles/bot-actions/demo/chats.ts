/** A question in a chat with the bot, the bot's action, and its answer. */
export type ChatTurn = {
  question: string;
  actionType: string;
  displayText: string | null;
  /** The displayText that replaces the first one halfway, if any. */
  later?: string;
  answer: string;
};

/** All texts and names of the chats in one language. Any customer may ask any question. */
export type ChatContent = {
  names: Readonly<Record<"lumen-bot" | "julia" | "mark" | "sofia", string>>;
  /** Ids of the customers' chats, which the console shows as their names. It opens the chat `main` first. */
  chatIds: Readonly<Record<"julia" | "mark" | "sofia", string>>;
  turns: readonly [ChatTurn, ...ChatTurn[]];
  thanks: readonly [string, ...string[]];
  failures: readonly [string, ...string[]];
  /** The bot's displayText and answers for a visitor of the demo. */
  thinking: string;
  replies: readonly [string, ...string[]];
};
