import type { BotAction } from "../bot-action.ts";

/** Time for which a finished action stays visible. */
export const CONFIRMATION_MS = 1_800;

/** An action on the page; `until`: the end of its confirmation, null while it is processing. */
export type VisibleAction = { readonly action: BotAction; readonly until: number | null };
type VisibleActions = readonly VisibleAction[];

/** Returns the processing actions, last updated first. The first one is the one to show. */
export function busyActions(actions: readonly BotAction[]): BotAction[] {
  return actions
    .filter(({ status }) => status === "processing")
    .sort((one, other) => timeOf(other) - timeOf(one));
}

/** Returns the visible actions after the list was fetched: the confirmations stay. */
export function applyFetchedActions(
  before: VisibleActions,
  fetched: readonly BotAction[],
  now: number,
): VisibleActions {
  const confirmed = before.filter((one) => isConfirmation(one, now));
  const finished = new Set(confirmed.map(({ action }) => action.actionId));
  const busy = busyActions(fetched).filter(({ actionId }) => !finished.has(actionId));
  return [...busy.map((action) => ({ action, until: null })), ...confirmed];
}

/** Returns the visible actions after an event about one of them. */
export function applyActionEvent(before: VisibleActions, updated: BotAction, now: number): VisibleActions {
  const previous = before.find(({ action }) => action.actionId === updated.actionId);
  const others = before.filter((one) => one !== previous);
  if (updated.status !== "processing") {
    if (!previous) return before;
    const end = confirmationOf(previous, updated, now);
    return [...(end ? [end] : []), ...others].sort(busyFirst);
  }
  // A finished action never runs again.
  if (previous && previous.until !== null) return before;
  // A list that was fetched meanwhile is newer than a late event.
  if (previous && timeOf(updated) < timeOf(previous.action)) return before;
  return [{ action: updated, until: null }, ...others].sort(busyFirst);
}

/** Processing actions first, last updated first; then the confirmations, latest first. */
function busyFirst(one: VisibleAction, other: VisibleAction): number {
  if ((one.until === null) !== (other.until === null)) return one.until === null ? -1 : 1;
  if (one.until !== null && other.until !== null) return other.until - one.until;
  return timeOf(other.action) - timeOf(one.action);
}

/** Returns the confirmation of a finished action; null after a timeout: that action was dead long before. */
function confirmationOf(
  { action, until }: VisibleAction,
  updated: BotAction,
  now: number,
): VisibleAction | null {
  if (updated.payload?.reason === "timeout") return null;
  // A text of the unfinished action would be misleading.
  const isOwnText = until !== null || updated.displayText !== action.displayText;
  const shown = isOwnText ? updated : { ...updated, displayText: null };
  return { action: shown, until: until ?? now + CONFIRMATION_MS };
}

function isConfirmation({ until }: VisibleAction, now: number): boolean {
  return until !== null && until > now;
}

function timeOf({ updatedAt, createdAt }: BotAction): number {
  return Date.parse(updatedAt ?? createdAt ?? "") || 0;
}
