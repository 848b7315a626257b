export { BOARD_ROUTES } from "./api.ts";
export { board } from "./lifecycle.ts";
