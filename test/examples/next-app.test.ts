import { describe, expect, test } from "vitest";
import { browserProblem } from "../support/browser.ts";
import { installExample, SUITE_TIMEOUT_MS } from "../support/example-app.ts";

const app = await installExample("next-app");

describe.skipIf(app === null)("the Next.js app, outside of the repository", () => {
  // `next build` checks the types as well.
  test("builds, and shows new tasks live in a browser", { timeout: SUITE_TIMEOUT_MS }, async () => {
    const noBrowser = await browserProblem();
    if (noBrowser !== null) console.warn(`the browser part is skipped: ${noBrowser}`);
    const { code, output } = (await app?.run("test")) ?? {};
    expect(output).toContain("Compiled successfully");
    expect(output).toMatch(noBrowser === null ? /Tests .*3 passed/ : /Tests .*3 skipped/);
    expect(code, output).toBe(0);
  });
});
