/** What `pawl init` writes. It is compiled and checked by the tests, and it is the lifecycle of docs/guide.md. */
export const FIRST_CONFIG = `import { defineConfig, defineLifecycle } from "pawl";
import { z } from "zod";

// A lifecycle says where a task can be, who may move it where, and what runs out when.
// \`pawl check errand\` walks every situation it can get into and proves the promises at its end.
export const errand = defineLifecycle({
  name: "errand",
  // Raise it with every change that tasks under way would notice.
  version: 1,
  summary: "Errands that workers run",

  // What a task keeps besides its title. Texts, numbers, lists: whatever zod can describe.
  data: z.object({ note: z.string(), result: z.string().nullable() }),

  // What each project can set for itself; these are the defaults.
  settings: z.object({ silent_minutes: z.number().positive().default(5) }),

  statuses: {
    waiting: { meaning: "free to take" },
    running: {
      meaning: "a worker is on it",
      // Whoever takes it holds a lease: if he dies, it runs out, and the system puts the errand back.
      lease: true,
      timers: [{ action: "expire", since: "heartbeat_at", after: { minutes: "silent_minutes" } }],
    },
    done: { meaning: "it went well", final: true, success: true },
    failed: { meaning: "a worker gave it up", final: true },
  },

  // How long a worker may be silent; \`beatLeases\` of the typed client renews it.
  lease: { lasts: { minutes: "silent_minutes" } },

  actions: {
    take: { summary: "Begin" },
    // What an action must be given. The typed client knows it too.
    complete: { summary: "It is done", input: z.object({ result: z.string() }) },
    give_up: { summary: "It cannot be done", comment: "required" },
    expire: { summary: "The worker has gone silent" },
  },

  // What a new task is made of, and where it starts.
  creation: {
    input: z.object({ title: z.string().trim().min(1), note: z.string().default("") }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: { note: input.note, result: null } }),
  },

  // Of several rules that fit, the first one wins. What is not here cannot happen.
  rules: [
    { action: "take", from: "waiting", to: "running", who: "anyone", effects: ["assign_actor", "count_attempt"] },
    { action: "complete", from: "running", to: "done", who: "lease_holder", effects: ["keep_result"] },
    { action: "give_up", from: "running", to: "failed", who: "lease_holder" },
    { action: "expire", from: "running", to: "waiting", who: "system", guards: ["due"], effects: ["clear_assignee"] },
  ],

  // Roles are words of your own, given with \`pawl members add\`. What is not listed is open to all but viewers.
  permissions: { "task.expire": ["system"] },

  effects: { keep_result: ({ input }) => ({ data: { result: input.result ?? null } }) },

  // Promises: \`pawl check\` proves each for every way a task can go.
  invariants: {
    "a waiting errand is nobody's": (task) => task.status !== "waiting" || task.assigned_to === null,
    "a running errand is somebody's": (task) => task.status !== "running" || task.assigned_to !== null,
  },

  // What workers are handed out, the most urgent and oldest first.
  pool: { action: "take", from: "waiting", where: [{ field: "assigned_to", is: null }] },
});

export default defineConfig({
  lifecycles: [errand],
  // Also to be set here: port, data, databaseUrl and more; flags and the environment go before it.
});
`;
