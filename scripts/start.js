// `npm start`: builds what is missing or out of date, then is `pawl start`.
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./ensure-built.js";

const BIN = new URL("../dist/main/bin.js", import.meta.url);

// `npm start 2> file` on a full disk still starts the server.
process.stderr.on("error", () => undefined);
if (!ensureBuilt({ onBuild: () => process.stderr.write("Building Pawl…\n") })) process.exit(1);

// In this very process, so that a signal reaches the server once: a parent passing on what the terminal
// has already sent to both would look like a second Ctrl-C.
process.argv = [process.execPath, fileURLToPath(BIN), "start", ...process.argv.slice(2)];
await import(BIN.href);
