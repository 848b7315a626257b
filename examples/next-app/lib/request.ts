import { defineLifecycle } from "pawl";
import { z } from "zod";

/** A request to the office: open until a colleague has handled it. */
export const request = defineLifecycle({
  name: "request",
  version: 1,
  summary: "Requests to the office",
  data: z.object({ room: z.string() }),
  statuses: {
    open: { meaning: "waits for a colleague" },
    done: { meaning: "handled", final: true, success: true },
  },
  actions: { finish: { summary: "Mark it as done" } },
  creation: {
    input: z.object({
      title: z.string().trim().min(3, "Describe it in at least 3 characters.").max(200),
      room: z.string().trim().min(1, "Enter a room."),
    }),
    to: [{ status: "open" }],
    draft: ({ input }) => ({ title: input.title, data: { room: input.room } }),
  },
  rules: [{ action: "finish", from: "open", to: "done", who: "anyone" }],
});
