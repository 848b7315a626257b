import { z } from "zod";
import { fields } from "../../api/index.ts";

const { clientEventId, page } = fields;

const group = "planner";
export const once = {
  client_event_id: clientEventId.nullish().describe("required, here or as `Idempotency-Key`"),
};
export const uuidPage = { ...page, cursor: z.uuid().optional().describe("`cursor` of the page before") };

export const reads = { method: "GET", group, ruled: true } as const;
export const writes = { group, idempotent: true, needs_key: true, ruled: true } as const;
export const posts = { ...writes, method: "POST" } as const;
export const movesTask = { ...writes, versioned: true } as const;
export const OF_TASK = ["TASK_NOT_FOUND"] as const;
export const OF_PLACE = ["NOT_FOUND"] as const;
