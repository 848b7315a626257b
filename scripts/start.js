// npm start: builds dist if it is missing or out of date, then runs `pawl start`.
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./ensure-built.js";

const BIN = new URL("../dist/main/bin.js", import.meta.url);

// `npm start 2> file` on a full disk still starts the server.
process.stderr.on("error", () => undefined);
if (!ensureBuilt({ onBuild: () => process.stderr.write("Building Pawl…\n") })) process.exit(1);

// In this process, so that a signal reaches the server once: the terminal sends Ctrl-C to parent and child, and a parent that
// forwards it would cause a second one.
process.argv = [process.execPath, fileURLToPath(BIN), "start", ...process.argv.slice(2)];
await import(BIN.href);
