// `npm start`: builds what is missing or out of date, then is `pawl start`.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SCRIPTS, "..");
const BIN = new URL("../dist/bin.js", import.meta.url);

if (!isBuilt()) {
  process.stderr.write("Building Pawl…\n");
  const { status } = spawnSync(process.execPath, [join(SCRIPTS, "build.js")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

// In this very process, so that a signal reaches the server once: a parent passing on what the terminal
// has already sent to both would look like a second Ctrl-C.
process.argv = [process.execPath, fileURLToPath(BIN), "start", ...process.argv.slice(2)];
await import(BIN.href);

function isBuilt() {
  const built = changedAt(join(ROOT, "dist/.built"));
  const inputs = ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts/build.js", "scripts/build-console.js"].map((name) =>
    join(ROOT, name),
  );
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  // Folders count too: theirs is the time at which a file was removed.
  return built > 0 && [...inputs, ...sources].every((path) => changedAt(path) <= built);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
