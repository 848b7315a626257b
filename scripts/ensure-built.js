// Builds dist if it is missing or out of date: for `npm start`, and for tests of the package.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SCRIPTS, "..");
const INPUTS = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/build.js",
  "scripts/build-console.js",
];

/** Builds if needed. Returns false if the build fails; the compiler has printed the reason by then. */
export function ensureBuilt({ onBuild = () => undefined } = {}) {
  if (isBuilt()) return true;
  onBuild();
  return spawnSync(process.execPath, [join(SCRIPTS, "build.js")], { stdio: "inherit" }).status === 0;
}

function isBuilt() {
  const built = changedAt(join(ROOT, "dist/.built"));
  const inputs = INPUTS.map((name) => join(ROOT, name));
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  // Folders count too: removing a file changes the time of its folder.
  return built > 0 && [...inputs, ...sources].every((path) => changedAt(path) <= built);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
