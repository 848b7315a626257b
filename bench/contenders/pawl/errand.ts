import { z } from "zod";
import { defineLifecycle, refuse } from "../../../src/core/index.ts";

const MOST_ATTEMPTS = 3;

/** What a queue's job is elsewhere: it waits in a pool, is taken under a lease, and is finished by whoever holds that. */
export const errand = defineLifecycle({
  name: "errand",
  version: 1,
  summary: "A job of the benchmark",
  data: z.object({ file: z.string(), result: z.string().nullable() }),
  settings: z.object({ lease_seconds: z.number().positive().default(600) }),
  statuses: {
    blocked: { meaning: "waits for other errands" },
    waiting: { meaning: "free to take" },
    taken: {
      meaning: "a worker has it",
      lease: true,
      timers: [{ action: "give_up", since: "heartbeat_at", after: { seconds: "lease_seconds" } }],
    },
    open: { meaning: "somebody looks at it" },
    closed: { meaning: "nobody looks at it" },
    done: { meaning: "finished", final: true, success: true },
    dropped: { meaning: "given up", final: true },
  },
  lease: { lasts: { seconds: "lease_seconds" } },
  actions: {
    take: {},
    finish: { input: z.object({ result: z.string() }) },
    give_up: {},
    unblock: {},
    close: {},
    open: {},
    skip: {},
    drop: {},
    fall: { input: z.object({ reason: z.string().nullish() }) },
  },
  creation: {
    input: z.object({ file: z.string(), after: z.array(z.string()).default([]) }),
    to: [{ status: "waiting", guards: ["blockers_done"] }, { status: "blocked" }],
    draft: ({ input }) => ({
      title: input.file,
      blocked_by: input.after,
      data: { file: input.file, result: null },
    }),
  },
  rules: [
    { action: "take", from: "waiting", to: "taken", who: "anyone", guards: ["available_now"] },
    {
      action: "finish",
      from: "taken",
      to: "done",
      who: "lease_holder",
      guards: ["result_is_told"],
      effects: ["keep_result"],
    },
    {
      action: "give_up",
      from: "taken",
      to: "waiting",
      who: "system",
      guards: ["due", "another_attempt_left"],
      effects: ["count_attempt"],
    },
    // The last attempt: the errand leaves the pool for good, so that `take` has no attempts to check.
    {
      action: "give_up",
      from: "taken",
      to: "dropped",
      who: "system",
      guards: ["due"],
      effects: ["count_attempt"],
    },
    { action: "unblock", from: "blocked", to: "waiting", who: "system", guards: ["blockers_done"] },
    // Back and forth between two statuses, as often as a bout asks for it.
    { action: "open", from: ["waiting", "closed"], to: "open", who: "anyone", guards: ["attempts_left"] },
    { action: "close", from: "open", to: "closed", who: "creator", guards: ["attempts_left"] },
    { action: "skip", from: ["waiting", "closed"], to: "done", who: "creator" },
    { action: "drop", from: ["waiting", "closed"], to: "dropped", who: "creator" },
    { action: "fall", from: "blocked", to: "dropped", who: "system" },
  ],
  guards: {
    attempts_left: ({ task }) =>
      task.attempt < MOST_ATTEMPTS || refuse("ATTEMPTS_EXHAUSTED", "It was given up too often."),
    another_attempt_left: ({ task }) =>
      task.attempt + 1 < MOST_ATTEMPTS || refuse("ATTEMPTS_EXHAUSTED", "This was the last attempt."),
    result_is_told: ({ input }) =>
      (input.result ?? "") !== "" || refuse("RESOLUTION_REQUIRED", "Say what came of it."),
  },
  effects: { keep_result: ({ input }) => ({ data: { result: input.result ?? null } }) },
  pool: { action: "take", from: "waiting", where: [{ field: "open_blockers", is: 0 }] },
  unblocks: { from: "blocked", action: "unblock", fail: "fall" },
});
