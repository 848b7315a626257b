import type { ReplyOf } from "../../../api/index.ts";
import type { BOARD_ROUTES } from "../api.ts";
import { client } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const board = client.calls<typeof BOARD_ROUTES>(ROWS);

export type Stats = ReplyOf<typeof BOARD_ROUTES.getBoardStats>;
