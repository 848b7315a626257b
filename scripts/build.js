// Compiles src into dist (or the folder that is named), and brings along what the compiler leaves behind.
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
// A thread is started from a file, which is plain JavaScript so that it is the same before and after.
const ASSETS = /\.(sql|mjs)$/;
const OUTPUTS = /\.(js|d\.ts)(\.map)?$/;
/** Made by the bundler, which keeps its own folder clean, and by the compiler from the console's sources. */
const NOT_COMPILED = [`console${sep}`, `types${sep}`];

// Written last and removed first: `npm start` compares it with the sources, and a build that failed must not count.
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
dropOutputsWithoutSource();
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

/** The compiler never deletes: outputs and copies of removed sources would be shipped. */
function dropOutputsWithoutSource() {
  for (const file of filesIn(DIST).filter((name) => !NOT_COMPILED.some((start) => name.startsWith(start)))) {
    const source = join(SRC, file.replace(OUTPUTS, ""));
    const isStale = ASSETS.test(file)
      ? !existsSync(join(SRC, file))
      : OUTPUTS.test(file) && ![".ts", ".tsx"].some((ending) => existsSync(source + ending));
    if (isStale) rmSync(join(DIST, file));
  }
}

function copyAssets() {
  for (const file of filesIn(SRC).filter((name) => ASSETS.test(name))) {
    mkdirSync(dirname(join(DIST, file)), { recursive: true });
    copyFileSync(join(SRC, file), join(DIST, file));
  }
}

/** Paths of all files below a folder, relative to it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
