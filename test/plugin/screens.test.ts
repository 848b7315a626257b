import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { startTestServer } from "../../src/main/testing.ts";
import type { TestServer } from "../../src/main/testing.ts";
import { query } from "../../src/plugin/index.ts";
import { openBrowser, browserProblem } from "../support/browser.ts";
// Builds the console.
import "../support/built-pawl.ts";
import { testDatabases } from "../support/postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { shop } from "./shop.ts";

const missing = await browserProblem();
if (missing !== null) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)("the screens of a user's plugin", () => {
  let server: TestServer;
  let browser: Browser;
  // Not in the body of `describe`, which also runs if the tests are skipped.
  beforeAll(async () => {
    const databases = testDatabases(inject("postgresUrl"));
    const database = await databases.createDatabase();
    server = await startTestServer({ url: database.url, plugins: [shop] });
    browser = await openBrowser();
    await server.pawl.transaction((tx) =>
      query(tx, "insert into pawl.shop_stock (org_id, item, pieces) values ('main', 'lamp', 4)", []),
    );
    return async () => {
      await browser.close();
      await server.stop();
      await database.drop();
      await databases.close();
    };
  });

  test("are tabs of its lifecycle, built from the console's components, in every language", async () => {
    const page = await visit(server, "/lifecycles/shop/board", "ru");
    await page.getByRole("link", { name: "Склад" }).click();
    await page.getByRole("heading", { name: "Штук на складе" }).waitFor();
    expect(await page.locator("#facts").innerText()).toBe("ru Упаковать function");
    await page.getByText("Заказы покупателей").waitFor();
    await page.getByRole("button", { name: "Спросить" }).click();
    await page.locator("#pieces", { hasText: "4" }).waitFor();
  });

  test("are shown on the page of a task, with the plugin's style sheet and texts", async () => {
    const task = await server.client.lifecycle("shop").create({ item: "lamp" });
    const page = await visit(server, `/tasks/${task.id}`, "ru");
    const panel = page.getByText("Parcel of lamp");
    await panel.waitFor();
    const colour = () =>
      page.evaluate<string>('getComputedStyle(document.querySelector(".shop-panel")).borderLeftColor');
    await expect.poll(colour).toBe("rgb(1, 2, 3)");
    await page.getByText("Заказано").first().waitFor();
    await page.getByRole("button", { name: "Упаковать" }).first().waitFor();
  });

  test("are served only from their folder", async () => {
    const ask = async (path: string) => (await fetch(server.url + path)).status;
    expect(await ask("/plugins/shop/screens.js")).toBe(200);
    for (const path of [
      "shop.ts",
      "../shop.ts",
      "%2e%2e/shop.ts",
      "..%2fshop.ts",
      "missing.js",
      ".hidden.js",
      "",
    ])
      expect(await ask(`/plugins/shop/${path}`), path).toBe(404);
    expect(await ask("/plugins/board/index.js")).toBe(404);
  });

  async function visit({ url, token }: TestServer, path: string, locale: string): Promise<Page> {
    const context = await browser.newContext({ locale });
    context.setDefaultTimeout(WAIT_LIMIT_MS);
    await context.request.post(`${url}/api/session`, { data: { token } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      // This server has no demo.
      if (message.type() === "error" && !message.text().includes("status of 404"))
        faults.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(url + path);
    return page;
  }
});
