// The schemas and the table are the contract room's: the client's React parts stand on them, and may import no lifecycle.
export {
  botAction,
  botActionStatuses,
  botActionTypes,
  CHAT_ROUTES as BOT_ACTION_ROUTES,
  chatEvent,
  chatMessage,
} from "../../contract/index.ts";
export type {
  BotAction,
  BotActionStatus,
  BotActionType,
  ChatEvent,
  ChatMessage,
} from "../../contract/index.ts";
