import type { ReplyOf } from "../../../api/index.ts";
import type { CODE_ROUTES } from "../api.ts";
import { client } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const code = client.calls<typeof CODE_ROUTES>(ROWS);

export type Summary = ReplyOf<typeof CODE_ROUTES.getCodeSummary>;
export type AtWork = Summary["at_work"][number];
type CodeUsage = ReplyOf<typeof CODE_ROUTES.getCodeUsage>;
export type UsageRow = CodeUsage["rows"][number];
export type CodeDiff = ReplyOf<typeof CODE_ROUTES.readCodeDiff>;
export type CodeRun = ReplyOf<typeof CODE_ROUTES.getCodeTask>["runs"][number];

/** Output is polled, because it adds no event to the feed. */
export const POLL_INTERVAL_MS = 2_000;
