import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { consoleOptions } from "../../src/main/console-options.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import type { FrontDesk } from "../http/front-desk.ts";
import { openBrowser, whyNoBrowser } from "../support/browser.ts";
import { ROOT } from "../support/built-pawl.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

export type Stage = {
  desk: FrontDesk;
  /** Tokens by member: ann and bob work, lea leads, tom welds, eve only looks, and there is the admin. */
  tokens: Record<"admin" | "ann" | "bob" | "lea" | "tom" | "eve", string>;
  /** A page of its own, signed in unless `who` is null; whatever goes wrong on it fails the test. */
  visit: (who: keyof Stage["tokens"] | null, path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Creates a task of the board. */
  make: (title: string, more?: object) => Promise<string>;
  act: (who: keyof Stage["tokens"], id: string, action: string, more?: object) => Promise<void>;
};

/** A browser tells every answer that says no; those are the page's to show. */
const EXPECTED = /the server responded with a status of 4\d\d|net::ERR_/;

/** Where the built console is; it is built by whoever comes first. */
export const CONSOLE_FOLDER = join(ROOT, "dist/console");

/** Tests of the built console in a real browser, on a server of their own; skipped where no browser can be had. */
export function onStage(name: string, tests: (stage: () => Stage) => void): void {
  let stage: Stage | undefined;
  describe.skipIf(WHY_NOT !== null)(name, () => {
    beforeAll(async () => {
      stage = await openStage();
    });
    tests(() => stage as Stage);
  });
}

const WHY_NOT = await whyNoBrowser();
if (WHY_NOT !== null) console.warn(`skipped: ${WHY_NOT}`);

async function openStage(): Promise<Stage> {
  const desk = await openFrontDesk({
    server: { console: consoleOptions(PLUGINS, CONSOLE_FOLDER) },
  });
  const browser = await openBrowser();
  afterAll(() => browser.close());
  const tokens = {
    admin: desk.admin,
    ann: await desk.member({ id: "ann", name: "Ann Baker", roles: ["agent", "worker"] }),
    bob: await desk.member({ id: "bob", name: "Bob Stone", roles: ["agent", "worker"] }),
    lea: await desk.member({ id: "lea", name: "Lea Marsh", roles: ["lead"] }),
    tom: await desk.member({
      id: "tom",
      name: "Tom Becker",
      roles: ["executor"],
      skill_level: 6,
      specializations: ["welding"],
    }),
    eve: await desk.member({ id: "eve", name: "Eve Watcher", roles: ["viewer"] }),
  };
  const ask = async (who: keyof typeof tokens, what: string, body: object) => {
    const heard = await desk.ask(what, { token: tokens[who], body });
    if (heard.status >= 300) throw new Error(heard.text);
    return heard.body;
  };
  return {
    desk,
    tokens,
    visit: async (who, path, options = {}) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: "en",
        ...options,
      });
      context.setDefaultTimeout(WAIT_LIMIT_MS);
      if (who !== null)
        await context.request.post(`${desk.url}/api/session`, { data: { token: tokens[who] } });
      const page = await context.newPage();
      const faults = watch(page, desk.url);
      onTestFinished(async () => {
        await context.close();
        expect(faults).toEqual([]);
      });
      await page.goto(desk.url + path);
      return page;
    },
    make: async (title, more = {}) =>
      String(
        (await ask("ann", "POST /api/tasks", { lifecycle: "board", title, description: "So", ...more })).id,
      ),
    act: async (who, id, action, more = {}) => {
      await ask(who, `POST /api/tasks/${id}/transitions`, { action, comment: "so", ...more });
    },
  };
}

/** What must not happen on any page: a fault in a script, a refused script or style, a request to anywhere else. */
function watch(page: Page, url: string): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:"))
      faults.push(`asks ${request.url()}`);
  });
  return faults;
}
