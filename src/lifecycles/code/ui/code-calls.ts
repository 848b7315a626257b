import type { ReplyOf } from "../../../api/index.ts";
import type { CODE_ROUTES } from "../api.ts";
import { client } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const code = client.calls<typeof CODE_ROUTES>(ROWS);

export type Summary = ReplyOf<typeof CODE_ROUTES.getCodeSummary>;
export type AtWork = Summary["at_work"][number];
export type CodeRun = ReplyOf<typeof CODE_ROUTES.getCodeTask>["runs"][number];

/** What an agent says is no event of its task. */
export const LOOK_EVERY_MS = 2_000;
