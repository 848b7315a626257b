/** The worker that `pawl init` writes. Tests run and stop it; docs/guide.md and docs/workers.md show it. */
export const FIRST_WORKER = `import { createClient } from "pawl/client";
import type { LifecyclesOf } from "pawl/client";
import { startWorker } from "pawl/worker";
import type { errand } from "./pawl.config.ts";

const worker = startWorker<LifecyclesOf<[typeof errand]>>({
  client: createClient({
    url: process.env.PAWL_URL ?? "http://127.0.0.1:4747",
    token: process.env.PAWL_TOKEN,
  }),
  lifecycle: { name: "errand" },
  // Errands that run at the same time; each goes to one worker only.
  concurrency: 4,
  // Does one errand and returns the action that ends it. Its lease is renewed meanwhile; the signal aborts if it is lost.
  run: async (task, { signal }) => {
    console.log(\`started: \${task.title}\`);
    signal.throwIfAborted();
    const result = \`\${task.title}: went for \${task.data.note}\`;
    return { action: "complete", payload: { result } };
  },
  // Reports an error that \`run\` has thrown.
  failed: ({ message }) => ({ action: "give_up", comment: message }),
  // After Ctrl+C, running errands get 10 seconds to finish; then they are aborted and given back.
  graceMs: 10_000,
  onEvent: (event) => {
    if (event.kind === "finished") console.log(\`done: \${event.task.title}\`);
    if (event.kind === "failed") console.error(\`failed: \${event.task.title}: \${event.failure.message}\`);
    if (event.kind === "released") console.log(\`given back: \${event.task.title}\`);
    if (event.kind === "unreachable") console.error("The server does not answer; trying again.");
  },
});

// A second signal ends the process at once; its errands wait again when their leases expire.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void worker.stop());
await worker.finished;
`;
