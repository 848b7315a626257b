import type { BotAction } from "../bot-action.ts";

/** What is processing, the one that was heard of last first: it is the one to show. */
export function busyActions(actions: readonly BotAction[]): BotAction[] {
  return actions
    .filter(({ status }) => status === "processing")
    .sort((one, other) => momentOf(other) - momentOf(one));
}

/** What is processing after an action was heard of. */
export function afterHearing(actions: readonly BotAction[], heard: BotAction): readonly BotAction[] {
  const known = actions.find(({ actionId }) => actionId === heard.actionId);
  // A list that was read meanwhile knows more than an event that came late; but what has finished never comes back.
  if (known && heard.status === "processing" && momentOf(heard) < momentOf(known)) return actions;
  if (!known && heard.status !== "processing") return actions;
  return busyActions([heard, ...actions.filter((action) => action !== known)]);
}

function momentOf({ updatedAt, createdAt }: BotAction): number {
  return Date.parse(updatedAt ?? createdAt ?? "") || 0;
}
