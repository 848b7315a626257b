// The schemas and the table are the contract room's: the client's React parts stand on them, and may import no lifecycle.
export { CHAT_ROUTES as BOT_ACTION_ROUTES } from "../../api/index.ts";
