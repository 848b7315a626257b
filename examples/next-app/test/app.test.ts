import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { startTestServer } from "pawl/testing";
import type { TestServer } from "pawl/testing";
import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { request } from "../lib/request.ts";

const CHROMIUM = process.env.PAWL_CHROMIUM ?? "/usr/bin/chromium";
const noBrowser = !existsSync(CHROMIUM);
if (noBrowser) console.warn(`skipped: there is no browser at ${CHROMIUM}; set PAWL_CHROMIUM to one`);
const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

describe.skipIf(noBrowser)("the app after `npm run build`, in a browser", () => {
  /** A Pawl of its own on the app's database, as another process would have it. */
  let server: TestServer;
  let next: ChildProcess;
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    server = await startTestServer({ plugins: [request] });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    next = spawn(process.execPath, [NEXT, "start", "--hostname", "127.0.0.1", "--port", String(port)], {
      env: { ...process.env, NODE_ENV: "production", DATABASE_URL: server.pawl.url },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const args = ["--no-sandbox", "--disable-gpu"];
    browser = await chromium.launch({ executablePath: CHROMIUM, args, timeout: 180_000 });
    await untilServing();
  });
  afterAll(async () => {
    await browser.close();
    next.kill();
    await once(next, "exit");
    await server.stop();
  });

  test("a request that is made on one page appears on another, and so does its end", async () => {
    const [ann, bob] = [await visit(), await visit()];
    await make(ann, "A new lamp", "12");
    await row(ann, "A new lamp").waitFor();
    await row(bob, "A new lamp").getByText("room 12").waitFor();
    await row(bob, "A new lamp").getByRole("button", { name: "Done" }).click();
    await row(ann, "A new lamp").getByText("done").waitFor();
  });

  test("a task of another process appears too", async () => {
    const page = await visit();
    await server.client.lifecycle(request).create({ title: "From elsewhere", room: "3" });
    await row(page, "From elsewhere").waitFor();
  });

  test("a refusal of Pawl is shown below the form", async () => {
    const page = await visit();
    await make(page, "x", "12");
    await page.locator("[role=alert]", { hasText: "at least 3 characters" }).waitFor();
  });

  function row(page: Page, title: string) {
    return page.getByRole("list", { name: "Requests" }).getByRole("listitem").filter({ hasText: title });
  }

  async function make(page: Page, title: string, room: string) {
    await page.getByLabel("What is needed?").fill(title);
    await page.getByLabel("Room").fill(room);
    await page.getByRole("button", { name: "Request it" }).click();
  }

  /** Opens the app; an uncaught error in the page fails the test. */
  async function visit(): Promise<Page> {
    const context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    // The page is hydrated when its stream of events is open.
    const streaming = page.waitForRequest("**/tasks/events");
    await page.goto(url);
    await streaming;
    return page;
  }

  async function untilServing(): Promise<void> {
    while (next.exitCode === null) {
      const answer = await fetch(url).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`next start ended with exit code ${next.exitCode}`);
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
