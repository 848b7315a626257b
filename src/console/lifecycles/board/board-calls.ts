import type { ReplyOf } from "../../../contract/index.ts";
import type { BOARD_ROUTES } from "../../../lifecycles/board/contract.ts";
import { client } from "../../data/client.ts";
import { ROWS } from "./rows.ts";

export const board = client.calls<typeof BOARD_ROUTES>(ROWS);

export type Stats = ReplyOf<typeof BOARD_ROUTES.getBoardStats>;
