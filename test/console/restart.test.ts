import { afterAll, expect, test } from "vitest";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import { openBrowser, browserProblem } from "../support/browser.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { freePort } from "../support/free-port.ts";

const why = await browserProblem();
const ADMIN = "an-admin-of-the-test";

test.skipIf(why !== null)(
  "when the server restarts, an open page shows that it is outdated, and then reconnects",
  async () => {
    const [port, database, data] = [await freePort(), await emptyDatabase(), await scratchData()];
    const env = { DATABASE_URL: database, PAWL_ADMIN_TOKEN: ADMIN };
    const start = () =>
      startPawl(["--port", String(port), "--data", data], { env, program: [...BUILT_PAWL, "start"] });
    const first = await start();
    await first.ask("PATCH /api/members/admin", ADMIN, { roles: ["admin", "agent"] });
    const make = async (title: string, by: typeof first) =>
      (await by.ask("POST /api/tasks", ADMIN, { lifecycle: "board", title, description: "So" })).status;
    expect(await make("Made before", first)).toBe(201);

    const browser = await openBrowser();
    afterAll(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en" });
    context.setDefaultTimeout(40_000);
    await context.request.post(`${first.address}/api/session`, { data: { token: ADMIN } });
    const page = await context.newPage();
    await page.goto(`${first.address}/lifecycles/board/board`);
    await page.getByRole("article", { name: "Made before" }).waitFor();
    await page.locator("[data-connection=live]").waitFor();

    expect(await first.stop()).toBe(0);
    await page.getByText("shows the state at that time").waitFor();
    expect(await page.getByRole("article", { name: "Made before" }).count()).toBe(1);

    const second = await start();
    expect(await make("Made after", second)).toBe(201);
    await page.getByRole("article", { name: "Made after" }).waitFor();
    await page.locator("[data-connection=live]").waitFor();
    await page.getByText("shows the state at that time").waitFor({ state: "detached" });
    await context.close();
    expect(await second.stop()).toBe(0);
  },
  120_000,
);
