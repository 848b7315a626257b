import type { BotAction } from "../bot-action.ts";

/** Returns the processing actions, last updated first. The first one is the one to show. */
export function busyActions(actions: readonly BotAction[]): BotAction[] {
  return actions
    .filter(({ status }) => status === "processing")
    .sort((one, other) => timeOf(other) - timeOf(one));
}

/** Returns the processing actions after an event about one of them. */
export function applyActionEvent(actions: readonly BotAction[], updated: BotAction): readonly BotAction[] {
  const previous = actions.find(({ actionId }) => actionId === updated.actionId);
  // A list that was fetched meanwhile is newer than a late event; but a finished action never runs again.
  if (previous && updated.status === "processing" && timeOf(updated) < timeOf(previous)) return actions;
  if (!previous && updated.status !== "processing") return actions;
  return busyActions([updated, ...actions.filter((action) => action !== previous)]);
}

function timeOf({ updatedAt, createdAt }: BotAction): number {
  return Date.parse(updatedAt ?? createdAt ?? "") || 0;
}
