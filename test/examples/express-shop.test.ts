import { describe, expect, test } from "vitest";
import { installExample, SUITE_TIMEOUT_MS } from "../support/example-app.ts";

const shop = await installExample("express-shop");

describe.skipIf(shop === null)("the Express shop, outside of the repository", () => {
  test("is typed by the published package", { timeout: SUITE_TIMEOUT_MS }, async () => {
    expect(await shop?.run("typecheck")).toMatchObject({ code: 0 });
  });

  test("passes its own tests", { timeout: SUITE_TIMEOUT_MS }, async () => {
    const { code, output } = (await shop?.run("test")) ?? {};
    expect(output).toMatch(/Tests .*passed/);
    expect(code, output).toBe(0);
  });
});
