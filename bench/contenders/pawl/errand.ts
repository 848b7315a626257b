import { z } from "zod";
import { defineLifecycle, refuse } from "../../../src/core/index.ts";
import type { Lifecycle } from "../../../src/core/index.ts";

const MAX_ATTEMPTS = 3;

/** The job of an ordinary queue: waits in a pool, is claimed with a lease, and is finished by the lease holder. */
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
    open: { meaning: "under review" },
    closed: { meaning: "reviewed" },
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
      guards: ["has_result"],
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
    // After the last attempt the errand leaves the pool for good, so that `take` need not check attempts.
    {
      action: "give_up",
      from: "taken",
      to: "dropped",
      who: "system",
      guards: ["due"],
      effects: ["count_attempt"],
    },
    { action: "unblock", from: "blocked", to: "waiting", who: "system", guards: ["blockers_done"] },
    // Two statuses to move between, as often as a workload needs.
    { action: "open", from: ["waiting", "closed"], to: "open", who: "anyone", guards: ["attempts_left"] },
    { action: "close", from: "open", to: "closed", who: "creator", guards: ["attempts_left"] },
    { action: "skip", from: ["waiting", "closed"], to: "done", who: "creator" },
    { action: "drop", from: ["waiting", "closed"], to: "dropped", who: "creator" },
    { action: "fall", from: "blocked", to: "dropped", who: "system" },
  ],
  guards: {
    attempts_left: ({ task }) =>
      task.attempt < MAX_ATTEMPTS || refuse("ATTEMPTS_EXHAUSTED", "The errand has no attempts left."),
    another_attempt_left: ({ task }) =>
      task.attempt + 1 < MAX_ATTEMPTS || refuse("ATTEMPTS_EXHAUSTED", "This was the last attempt."),
    has_result: ({ input }) => (input.result ?? "") !== "" || refuse("RESOLUTION_REQUIRED", "Set a result."),
  },
  effects: { keep_result: ({ input }) => ({ data: { result: input.result ?? null } }) },
  pool: { action: "take", from: "waiting", where: [{ field: "open_blockers", is: 0 }] },
  unblocks: { from: "blocked", action: "unblock", fail: "fall" },
});

/** Without their types: the workloads choose actions at run time. */
export const ERRANDS: readonly Lifecycle[] = [errand];
