// Compiles src into dist (or the folder given as argument), and copies the files that the compiler leaves out.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./build-console.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SRC = join(ROOT, "src");
const DIST = resolve(process.argv[2] ?? join(ROOT, "dist"));
// Threads start from .mjs files: plain JavaScript, so that they run the same from src and from dist.
const ASSETS = /\.(sql|mjs)$/;
const OUTPUTS = /\.(js|d\.ts)$/;
/** Folders without a source of the same name: the bundler's, which it cleans itself, and the console's types. */
const NOT_COMPILED = [`console${sep}`, `types${sep}`];

// Removed first and written last, so that a failed build does not count: `npm start` compares its time with the sources.
const BUILT = join(DIST, ".built");
rmSync(BUILT, { force: true });

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { status } = spawnSync(
  process.execPath,
  [tsc, "-p", join(ROOT, "tsconfig.build.json"), "--outDir", DIST],
  { stdio: "inherit" },
);
if (status !== 0) process.exit(1);

emitConsoleTypes(join(DIST, "types"));
await buildConsole(join(DIST, "console"));
deleteStaleOutputs();
copyAssets();
chmodSync(join(DIST, "main/bin.js"), 0o755);
writeFileSync(BUILT, "");

/** Types of `pawl/console`; its code is part of the bundle. */
function emitConsoleTypes(folder) {
  rmSync(folder, { recursive: true, force: true });
  const project = join(ROOT, "src/console/tsconfig.types.json");
  const emitted = spawnSync(process.execPath, [tsc, "-p", project, "--outDir", folder], { stdio: "inherit" });
  if (emitted.status !== 0) process.exit(1);
  // Style sheets are part of the bundle, too; their imports would not resolve.
  for (const file of filesIn(folder).map((name) => join(folder, name)))
    writeFileSync(file, readFileSync(file, "utf8").replace(/^import "[^"]+\.css";\n/gm, ""));
}

/** Deletes outputs of removed sources and source maps of earlier builds, which the compiler leaves and the package would contain. */
function deleteStaleOutputs() {
  for (const file of filesIn(DIST).filter((name) => !NOT_COMPILED.some((start) => name.startsWith(start)))) {
    const source = join(SRC, file.replace(OUTPUTS, ""));
    const isStale = ASSETS.test(file)
      ? !existsSync(join(SRC, file))
      : file.endsWith(".map") ||
        (OUTPUTS.test(file) && ![".ts", ".tsx"].some((ending) => existsSync(source + ending)));
    if (isStale) rmSync(join(DIST, file));
  }
}

function copyAssets() {
  for (const file of filesIn(SRC).filter((name) => ASSETS.test(name))) {
    mkdirSync(dirname(join(DIST, file)), { recursive: true });
    copyFileSync(join(SRC, file), join(DIST, file));
  }
}

/** Returns the paths of all files below a folder, relative to it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
