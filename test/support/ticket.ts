import { z } from "zod";
import { defineLifecycle } from "../../src/core/define-lifecycle.ts";

/** A sound lifecycle; each test breaks one thing of it. Types would catch most of these, so they are switched off here. */
export function ticket(broken: Record<string, unknown> = {}) {
  return defineLifecycle({
    name: "ticket",
    version: 1,
    summary: "",
    statuses: { open: {}, done: { final: true } },
    actions: { close: {} },
    creation: { input: z.object({}), to: [{ status: "open" }], draft: () => ({ title: "", data: {} }) },
    rules: [{ action: "close", from: "open", to: "done", who: "anyone" }],
    ...broken,
  } as never);
}
export const rule = { action: "close", from: "open", to: "done", who: "anyone" };
export const creation = (to: unknown[]) => ({
  input: z.object({}),
  to,
  draft: () => ({ title: "", data: {} }),
});
