// An engine in a separate process: `node --import tsx node-process.ts <database url>`.
// The parent sends { id, verb, args } and gets { id, answer } or { id, error }; the process ends with its parent.
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import type { Call, Reply } from "./nodes.ts";

const [, , url = ""] = process.argv;
const sql = connect(url, { maxConnections: 4 });
const engine = new Engine(sql, PLUGINS);

process.on("message", (call: Call) => void handle(call));
process.on("disconnect", () => void sql.end({ timeout: 0 }));
reply({ id: 0, answer: "ready" });

async function handle({ id, verb, args }: Call): Promise<void> {
  try {
    const verbs = engine as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    reply({ id, answer: await verbs[verb]?.(...args) });
  } catch (error) {
    reply({ id, error: String(error) });
  }
}

function reply(message: Reply): void {
  process.send?.(message);
}
