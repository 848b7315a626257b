import { z } from "zod";
import { defineLifecycle } from "../../src/core/define-lifecycle.ts";

/** Defines a valid lifecycle with overrides that break it. The cast disables the types, which would catch most of them. */
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
/** The rule of `ticket`, for overrides. */
export const rule = { action: "close", from: "open", to: "done", who: "anyone" };
/** A creation with these `to` entries, for overrides. */
export const creation = (to: unknown[]) => ({
  input: z.object({}),
  to,
  draft: () => ({ title: "", data: {} }),
});
