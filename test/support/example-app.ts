import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { ROOT } from "./built-pawl.ts";
import { npmInstall } from "./install-locked.ts";
import { installPawl, packPawl } from "./installed-pawl.ts";
import { WAIT_LIMIT_MS } from "./wait-limit.ts";

/** One test of an example builds it, or runs its whole suite with databases and a browser. */
export const SUITE_TIMEOUT_MS = 10 * WAIT_LIMIT_MS;

/** An example outside of the repository, with Pawl installed as it would be published. */
export type ExampleApp = {
  folder: string;
  /** Runs a script of its package.json. */
  run: (script: string) => Promise<{ code: number; output: string }>;
  npm: (...args: string[]) => Promise<{ stdout: string; stderr: string }>;
};

/** Copies an example and links packages of the repository into it, so that it needs no registry. */
export async function linkExample(name: string, packages: readonly string[]): Promise<ExampleApp> {
  const { folder, tarball } = await copyExample(name);
  await installPawl(tarball, folder, packages);
  return exampleIn(folder);
}

/** Copies an example and runs `npm install` in it. Returns null, and prints a warning, if the registry cannot be reached. */
export async function installExample(name: string): Promise<ExampleApp | null> {
  const { folder, tarball } = await copyExample(name);
  await cp(tarball, join(folder, "pawl-0.1.0.tgz"));
  return (await npmInstall(folder, ["install"])) ? exampleIn(folder) : null;
}

async function copyExample(name: string): Promise<{ folder: string; tarball: string }> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), `pawl-${name}-`)));
  afterAll(() => rm(scratch, { recursive: true, force: true }));
  const [example, folder] = [join(ROOT, "examples", name), join(scratch, name)];
  const isSource = (path: string) =>
    !/^(node_modules|dist|\.next|\.pawl)$|\.tgz$/.test(path.slice(example.length + 1));
  await cp(example, folder, { recursive: true, filter: isSource });
  const { tarball } = await packPawl(scratch);
  return { folder, tarball };
}

function exampleIn(folder: string): ExampleApp {
  const npm = (...args: string[]) => {
    // Otherwise the inner test runner would act as a worker of the outer one.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name)),
    );
    return promisify(execFile)("npm", args, {
      cwd: folder,
      env: { ...env, NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1" },
    });
  };
  const run = async (script: string) => {
    try {
      const { stdout, stderr } = await npm("run", script);
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: stdout + stderr };
    }
  };
  return { folder, npm, run };
}
