// Runs one node in a separate process: `node --import tsx separate-node-process.ts <database url>`.
// The effect `write_note` waits for an advisory lock, so that a test can stop this process in the middle of a transaction.
import { definePlugin, openPawl } from "../../../src/main/index.ts";
import { query } from "../../../src/plugin/index.ts";
import { job, jobParts, nodeOptions } from "./job.ts";
import { GATE, NODE_NAME } from "./separate-node.ts";
import type { Call, Reply } from "./separate-node.ts";

const [, , url = ""] = process.argv;
const { write_note } = jobParts.effects;
const pawl = await openPawl({
  ...nodeOptions(url),
  applicationName: NODE_NAME,
  plugins: [
    definePlugin({
      lifecycle: job,
      ...jobParts,
      effects: {
        ...jobParts.effects,
        write_note: async (tx, items) => {
          await query(tx, "select pg_advisory_xact_lock_shared($1)", [GATE]);
          await write_note(tx, items);
        },
      },
    }),
  ],
});

process.on("message", ({ id, verb, args }: Call) => {
  const verbs = pawl as unknown as Record<Call["verb"], (...values: unknown[]) => Promise<unknown>>;
  verbs[verb](...args).then(
    (answer) => {
      reply({ id, answer });
    },
    (error: unknown) => {
      reply({
        id,
        answer: { kind: "refused", code: (error as { code?: unknown }).code, detail: String(error) },
      });
    },
  );
});
process.on("disconnect", () => void pawl.close());
reply({ id: 0, answer: "ready" });

function reply(message: Reply): void {
  if (process.connected) process.send?.(message);
}
