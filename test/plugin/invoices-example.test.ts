import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { browserProblem } from "../support/browser.ts";
import { ROOT } from "../support/built-pawl.ts";
import { installPawl, packPawl } from "../support/installed-pawl.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/** One test runs a whole suite with databases and a browser. */
const SUITE_TIMEOUT_MS = 10 * WAIT_LIMIT_MS;

const EXAMPLE = join(ROOT, "examples/invoices");
const DEV_DEPENDENCIES = [
  "@types/node",
  "@types/react",
  "csstype",
  "esbuild",
  "playwright-core",
  "typescript",
  "vitest",
];

/** Copies the example outside the repository and installs the package as it would be published. */
let project: string;

beforeAll(async () => {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-invoices-")));
  project = join(scratch, "invoices");
  const isSource = (path: string) =>
    !/^(node_modules|dist|\.pawl)$|\.tgz$/.test(path.slice(EXAMPLE.length + 1));
  await cp(EXAMPLE, project, { recursive: true, filter: isSource });
  const { tarball } = await packPawl(scratch);
  await installPawl(tarball, project, DEV_DEPENDENCIES);
  return () => rm(scratch, { recursive: true, force: true });
}, SUITE_TIMEOUT_MS);

const onUnix = test.skipIf(process.platform === "win32");

onUnix(
  "the plugin of an outsider is typed by the published package, its screens too",
  async () => {
    expect(await run("typecheck")).toMatchObject({ code: 0 });
    // The package's declarations need nothing that is not installed either.
    const { stdout } = await npm("exec", "--", "tsc", "-p", "ui", "--skipLibCheck", "false").catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe("");
  },
  SUITE_TIMEOUT_MS,
);

onUnix(
  "the plugin of an outsider passes its own tests, in a browser too",
  async () => {
    const noBrowser = await browserProblem();
    if (noBrowser !== null) console.warn(`its screens are skipped: ${noBrowser}`);
    const { code, output } = await run("test");
    expect(output).toMatch(/Test Files .*passed/);
    expect(code, output).toBe(0);
    expect(output.includes("skipped: there is no browser")).toBe(noBrowser !== null);
  },
  SUITE_TIMEOUT_MS,
);

onUnix("the page about plugins shows what `pawl check` prints", async () => {
  const guide = await readFile(join(ROOT, "docs/plugins.md"), "utf8");
  const [, shown = "?"] = /^```text\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const { stdout } = await npm("exec", "--", "pawl", "check", "invoices");
  expect(stdout).toContain(shown);
});

async function run(script: string): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await npm("run", script);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

function npm(...args: string[]) {
  // Otherwise the inner test runner would act as a worker of the outer one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  return promisify(execFile)("npm", args, { cwd: project, env: { ...env, NO_COLOR: "1" } });
}
