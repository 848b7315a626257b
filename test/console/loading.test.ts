import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestServer } from "../http/test-server.ts";
import type { TestServer } from "../http/test-server.ts";
import { scratchData } from "../http/running-pawl.ts";
import { openBrowser, browserProblem } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { seriousFindings } from "./serious-findings.ts";
import { CONSOLE_FOLDER } from "./console-setup.ts";

const why = await browserProblem();

describe.skipIf(why !== null)("parts that do not load or render", () => {
  let browser: Browser;
  let server: TestServer;
  let token: string;
  let folder: string;
  let port: number;

  beforeAll(async () => {
    browser = await openBrowser();
    afterAll(() => browser.close());
    folder = join(await scratchData({ until: afterAll }), "console");
    await cp(CONSOLE_FOLDER, folder, { recursive: true });
    port = await freePort();
    server = await startTestServer({ port, server: { console: { folder } } });
    token = await server.member({ id: "ada", name: "Ada", roles: ["admin", "agent"] });
  });

  /** Opens a signed-in page in its own browser context. */
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: "en",
      ...options,
    });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(WAIT_LIMIT_MS);
    await context.request.post(`${server.url}/api/session`, { data: { token } });
    const page = await context.newPage();
    await page.goto(server.url + path);
    return page;
  }

  const link = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });
  const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
  const failure = (page: Page, kind: string) => page.locator(`[data-failure=${kind}]`);

  test("while the server is down a new screen shows that beside the navigation, and loads when it is back", async () => {
    const page = await open("/");
    await heading(page, "Overview").waitFor();
    await server.close();
    try {
      await link(page, "Members").click();
      await failure(page, "unreachable").waitFor();
      expect(await failure(page, "unreachable").textContent()).toContain("The server is not responding");
      expect(await seriousFindings(page)).toEqual([]);
      // A screen that was loaded before still opens.
      await link(page, "Overview").click();
      await heading(page, "Overview").waitFor();
      await link(page, "Members").click();
      await failure(page, "unreachable").waitFor();
    } finally {
      server = await startTestServer({ port, sameDatabaseAs: server, server: { console: { folder } } });
    }
    await heading(page, "Members and tokens").waitFor();
  });

  test("after an upgrade the page asks for a reload, and unsent text is there again after it", async () => {
    const page = await open("/");
    await link(page, "board").first().click();
    await page.getByRole("button", { name: "New task" }).click();
    await title(page).fill("Written before the upgrade");
    await page.goBack();
    await heading(page, "Overview").waitFor();

    deployNewVersion(folder);
    await link(page, "Members").click();
    await failure(page, "new_version").waitFor();
    expect(await failure(page, "new_version").textContent()).toContain("A new version of Pawl is available");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Reload the page" }).click();
    await heading(page, "Members and tokens").waitFor();

    await link(page, "board").first().click();
    await page.getByRole("button", { name: "New task" }).click();
    expect(await title(page).inputValue()).toBe("Written before the upgrade");
    await page.getByText("Your draft was restored.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    // The dialog is part of the address, so that it is open again after any reload.
    await page.reload();
    await page.getByText("Your draft was restored.").waitFor();
    expect(await title(page).inputValue()).toBe("Written before the upgrade");
    await page.getByRole("button", { name: "Start over" }).click();
    expect(await title(page).inputValue()).toBe("");
    await title(page).fill("Written after it");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "New task" }).click();
    expect(await title(page).inputValue()).toBe("");
    expect(await page.getByText("Your draft was restored.").count()).toBe(0);
  });

  test("a part that does not load leaves an open dialog as it is", async () => {
    const make = async (task: object) => {
      const body = { lifecycle: "board", description: "So", ...task };
      return String((await server.ask("POST /api/tasks", { token, body })).body.id);
    };
    const blocker = await make({ title: "Comes first" });
    const id = await make({ title: "Waits for it", blocked_by: [blocker] });
    const page = await open("/");
    const held: Route[] = [];
    let isFailing = false;
    await page.route("**/assets/link-graph-*.js", async (route) => {
      if (isFailing) await route.abort();
      else held.push(route);
    });
    await page.goto(`${server.url}/tasks/${id}`);
    await page.getByRole("button", { name: "Comment" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("Still here");
    isFailing = true;
    await Promise.all(held.map((route) => route.abort()));
    await failure(page, "failed").waitFor();
    expect(await dialog.getByRole("textbox").first().inputValue()).toBe("Still here");
    await dialog.getByRole("button", { name: "Comment" }).click();
    await page.getByText("Still here").waitFor();

    await page.unroute("**/assets/link-graph-*.js");
    await failure(page, "failed").getByRole("button", { name: "Try again" }).click();
    await failure(page, "failed").waitFor({ state: "detached" });
    await page.locator(".react-flow__node").first().waitFor();
  });

  test("a script that the browser refuses to load again is loaded by a reload", async () => {
    const page = await open("/", { locale: "ru" });
    await page.route("**/assets/members-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Участники" }).click();
    await failure(page, "failed").waitFor();
    expect(await failure(page, "failed").textContent()).toContain("Не удалось загрузить");
    await page.unroute("**/assets/members-*.js");
    await page.getByRole("button", { name: "Обновить страницу" }).click();
    await page.locator("table.members").waitFor();
  });

  test("a screen that fails to render becomes an error state, and can be tried again", async () => {
    const page = await open("/");
    await page.route("**/api/projects*", (route) => route.fulfill({ json: { projects: [{ id: "odd" }] } }));
    await link(page, "Settings").click();
    await failure(page, "broken").waitFor();
    expect(await failure(page, "broken").textContent()).toContain("This could not be displayed");
    expect(await seriousFindings(page)).toEqual([]);
    await link(page, "Overview").click();
    await heading(page, "Overview").waitFor();
    await link(page, "Settings").click();
    await failure(page, "broken").waitFor();

    await page.unroute("**/api/projects*");
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, "Settings").waitFor();
  });

  test("a failure of everything around the screens becomes a page that can be reloaded", async () => {
    const page = await open("/settings");
    await heading(page, "Settings").waitFor();
    await page.route("**/api/lifecycles", (route) => route.fulfill({ json: { lifecycles: [null] } }));
    await page.reload();
    await failure(page, "broken").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.unroute("**/api/lifecycles");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await heading(page, "Settings").waitFor();
  });

  test("a page whose main script does not load offers a reload", async () => {
    const page = await open("/");
    await heading(page, "Overview").waitFor();
    await page.route("**/assets/index-*.js", (route) => route.abort());
    await page.reload();
    await page.getByText("If nothing appears").waitFor();
    await page.unroute("**/assets/index-*.js");
    await page.getByRole("link", { name: "reload the page" }).click();
    await heading(page, "Overview").waitFor();
  });

  test("signing out removes unsent text from the browser", async () => {
    const page = await open("/lifecycles/board/board?new=1");
    await title(page).fill("Not for the next reader");
    const stored = () => page.evaluate<string>("JSON.stringify(sessionStorage)");
    expect(await stored()).toContain("Not for the next reader");
    await page.goto(`${server.url}/`);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Sign in to Pawl").waitFor();
    expect(await stored()).not.toContain("Not for the next reader");
  });
});

/** Renames every script and style sheet, as a build of another version does. */
function deployNewVersion(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (/\.(gz|br)$/.test(name)) rmSync(join(folder, name));
  const assets = join(folder, "assets");
  const names = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name));
  const newName = (name: string) => name.replace(/\.(js|css)$/, "2.$1");
  const rewrite = (file: string) => {
    const text = names.reduce(
      (rewritten, name) => rewritten.replaceAll(name, newName(name)),
      readFileSync(file, "utf8"),
    );
    writeFileSync(file, text);
  };
  for (const name of names) {
    rewrite(join(assets, name));
    renameSync(join(assets, name), join(assets, newName(name)));
  }
  rewrite(join(folder, "index.html"));
}
