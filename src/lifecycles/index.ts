import type { Lifecycle } from "../core/index.ts";
import { board } from "./board/lifecycle.ts";
import { botActions } from "./bot-actions/lifecycle.ts";
import { code } from "./code/lifecycle.ts";
import { delivery } from "./delivery/lifecycle.ts";
import { planner } from "./planner/lifecycle.ts";

export { BOARD_ROUTES } from "./board/api.ts";
export { CODE_ROUTES } from "./code/api.ts";
export { BOT_ACTION_ROUTES } from "./bot-actions/api.ts";
export { DELIVERY_ROUTES } from "./delivery/api.ts";
export { PLANNER_ROUTES } from "./planner/api.ts";
export { board, botActions, code, delivery, planner };

/** The lifecycles that ship with Pawl. */
export const LIFECYCLES: readonly Lifecycle[] = [board, planner, delivery, code, botActions];
