/** The file that `pawl init` writes. Tests compile and check it, and docs/guide.md uses its lifecycle. */
export const FIRST_CONFIG = `import { defineConfig, defineLifecycle } from "pawl";
import { z } from "zod";

// A lifecycle declares the statuses of a task, who may move it between them, and which timers apply.
// \`pawl check errand\` explores every situation that a task can reach, and proves the invariants at the end.
export const errand = defineLifecycle({
  name: "errand",
  // Increase it with every change that affects existing tasks.
  version: 1,
  summary: "Errands that workers run",

  // Fields of a task besides its title, as a zod schema.
  data: z.object({ note: z.string(), result: z.string().nullable() }),

  // Settings that each project can change, with their defaults.
  settings: z.object({ silent_minutes: z.number().positive().default(5) }),

  statuses: {
    waiting: { meaning: "free to take" },
    running: {
      meaning: "a worker is working on it",
      // The worker holds a lease. If the worker dies, the lease expires and the system makes the errand available again.
      lease: true,
      timers: [{ action: "expire", since: "heartbeat_at", after: { minutes: "silent_minutes" } }],
    },
    done: { meaning: "completed", final: true, success: true },
    failed: { meaning: "a worker gave up", final: true },
  },

  // How long a lease lasts; a worker renews it while it works.
  lease: { lasts: { minutes: "silent_minutes" } },

  actions: {
    take: { summary: "Begin" },
    // Input of the action. The typed client checks it, too.
    complete: { summary: "It is done", input: z.object({ result: z.string() }) },
    give_up: { summary: "It cannot be done", comment: "required" },
    release: { summary: "Give it back unfinished" },
    expire: { summary: "The worker has stopped responding" },
  },

  // Input for a new task, and its first status.
  creation: {
    input: z.object({ title: z.string().trim().min(1), note: z.string().default("") }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: { note: input.note, result: null } }),
  },

  // If several rules match, the first one applies. A move without a rule is refused.
  rules: [
    { action: "take", from: "waiting", to: "running", who: "anyone", effects: ["assign_actor", "count_attempt"] },
    { action: "complete", from: "running", to: "done", who: "lease_holder", effects: ["keep_result"] },
    { action: "give_up", from: "running", to: "failed", who: "lease_holder" },
    // A worker that is stopped gives its errands back.
    { action: "release", from: "running", to: "waiting", who: "lease_holder", effects: ["clear_assignee"] },
    { action: "expire", from: "running", to: "waiting", who: "system", guards: ["due"], effects: ["clear_assignee"] },
  ],

  // Choose your own role names and assign them with \`pawl members add\`. Actions that are not listed are open to all but viewers.
  permissions: { "task.expire": ["system"] },

  effects: { keep_result: ({ input }) => ({ data: { result: input.result ?? null } }) },

  // \`pawl check\` proves that each invariant holds in every situation.
  invariants: {
    "a waiting errand has no assignee": (task) => task.status !== "waiting" || task.assigned_to === null,
    "a running errand has an assignee": (task) => task.status !== "running" || task.assigned_to !== null,
  },

  // Tasks that workers can claim: by priority, then the oldest first.
  pool: { action: "take", from: "waiting", where: [{ field: "assigned_to", is: null }] },
});

export default defineConfig({
  lifecycles: [errand],
  // Coding agents (\`pawl code\`): people can stop, pause and edit tasks, and approve work before it is merged. After a
  // failed attempt, the next one continues its work.
  codeOperatorControls: true,
  codeReview: true,
  codeContinue: true,
  // Other settings: port, data, databaseUrl and more. Options and environment variables override them.
});
`;
