import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserProblem } from "../support/browser.ts";
import { ROOT } from "../support/built-pawl.ts";
import { linkExample, SUITE_TIMEOUT_MS } from "../support/example-app.ts";

const { run, npm } = await linkExample("invoices", [
  "@types/node",
  "@types/react",
  "csstype",
  "esbuild",
  "playwright-core",
  "typescript",
  "vitest",
]);

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
