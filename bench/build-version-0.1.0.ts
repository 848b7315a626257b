import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyAssets } from "./copy-assets.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMIT = "751fba9ff600141bc8cc9e590672456d17fa5a61";
/** Inside node_modules, so that the old version finds the packages of this checkout. */
const FOLDER = join(ROOT, "node_modules/.cache/pawl-0.1.0");
const BUILD = join(FOLDER, "build");
const BUILT = join(FOLDER, "built");

const TSCONFIG = {
  extends: "./tsconfig.build.json",
  compilerOptions: { rootDir: ".", outDir: "build", declaration: false, sourceMap: false, noCheck: true },
  include: ["src", "bench/contenders/pawl/errand.ts"],
  exclude: ["src/console", "src/**/*.test.ts"],
};

export type OldVersion = { build: string } | { missing: string };

/** Compiles version 0.1.0 from the git history, once; returns the reason if that is not possible. */
export function buildVersion010(report: (message: string) => void): OldVersion {
  if (existsSync(BUILT)) return { build: BUILD };
  if (run("git", ["cat-file", "-e", `${COMMIT}^{commit}`]) !== null)
    return { missing: `this clone's history has no commit ${COMMIT.slice(0, 7)}` };
  report("building version 0.1.0 from the git history (once)");
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const archive = join(FOLDER, "source.tar");
  writeFileSync(join(FOLDER, "tsconfig.bench.json"), JSON.stringify(TSCONFIG));
  const paths = ["src", "bench", "package.json", "tsconfig.json", "tsconfig.build.json"];
  const failure =
    run("git", ["archive", "--output", archive, COMMIT, ...paths]) ??
    run("tar", ["-xf", archive, "-C", FOLDER]) ??
    run(process.execPath, [
      join(ROOT, "node_modules/typescript/bin/tsc"),
      "-p",
      join(FOLDER, "tsconfig.bench.json"),
    ]);
  if (failure !== null) return { missing: failure };
  copyAssets(join(FOLDER, "src"), join(BUILD, "src"));
  cpSync(join(FOLDER, "package.json"), join(BUILD, "package.json"));
  writeFileSync(BUILT, "");
  return { build: BUILD };
}

/** Returns null on success, or a description of the failure. */
function run(command: string, args: string[]): string | null {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
  if (status === 0) return null;
  const output = `${stdout}${stderr}`.trim().split("\n").at(-1);
  return `${basename(command)} ${args[0] ?? ""} failed: ${error?.message ?? output ?? ""}`;
}
