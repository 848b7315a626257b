// An engine in a process of its own: node --import tsx node-process.ts <database url>.
// The parent sends { id, verb, args } and gets { id, answer } or { id, error } back; it leaves when the parent does.
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import type { Call, Reply } from "./nodes.ts";

const [, , url = ""] = process.argv;
const sql = connect(url, { maxConnections: 4 });
const engine = new Engine(sql, PLUGINS);

process.on("message", (call: Call) => void reply(call));
process.on("disconnect", () => void sql.end({ timeout: 0 }));
say({ id: 0, answer: "ready" });

async function reply({ id, verb, args }: Call): Promise<void> {
  try {
    const verbs = engine as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    say({ id, answer: await verbs[verb]?.(...args) });
  } catch (error) {
    say({ id, error: String(error) });
  }
}

function say(message: Reply): void {
  process.send?.(message);
}
