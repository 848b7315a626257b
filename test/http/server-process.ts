// A server in a process of its own: node --expose-gc --import tsx server-process.ts <database url>.
// Sends its address; answers every message with its memory after garbage collection; exits with its parent.
import { connect } from "../../src/postgres/connect.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import { Engine } from "../../src/engine/engine.ts";
import { buildServer } from "../../src/server/server.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";

export type ServerMessage = { address: string } | { rss: number };

const [, , url = ""] = process.argv;
const sql = connect(url, { maxConnections: 10 });
const engine = new Engine(sql, PLUGINS);
const directory = new Directory(sql, LIFECYCLES);
const app = await buildServer({ engine, directory, version: "0.0.0" });

process.on("message", () => {
  globalThis.gc?.();
  send({ rss: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit(0));
send({ address: await app.listen({ port: 0, host: "127.0.0.1" }) });

function send(message: ServerMessage): void {
  process.send?.(message);
}
