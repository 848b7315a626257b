export { BOT_ACTIONS_ROUTES } from "./api.ts";
export { botActionStatuses, botActionTypes } from "./bot-action-names.ts";
export type { BotAction, BotActionStatus, BotActionType, ChatEvent, ChatMessage } from "./bot-action.ts";
export { botActions } from "./lifecycle.ts";
