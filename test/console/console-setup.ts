import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { consoleOptions } from "../../src/main/console-options.ts";
import { startTestServer } from "../http/test-server.ts";
import type { TestServer } from "../http/test-server.ts";
import { openBrowser, browserProblem } from "../support/browser.ts";
import { ROOT } from "../support/built-pawl.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

export type ConsoleSetup = {
  server: TestServer;
  /** Tokens by member: ann and bob are agents, lea is a lead, tom an executor, eve a viewer. */
  tokens: Record<"admin" | "ann" | "bob" | "lea" | "tom" | "eve", string>;
  /** Opens a page in its own context, signed in unless `who` is null; any error on it fails the test. */
  openPage: (
    who: keyof ConsoleSetup["tokens"] | { token: string } | null,
    path: string,
    options?: BrowserContextOptions,
    /** Address of a proxy to the server; default: the server itself. */
    base?: string,
  ) => Promise<Page>;
  /** Creates a board task and returns its id. */
  createTask: (title: string, more?: object) => Promise<string>;
  move: (who: keyof ConsoleSetup["tokens"], id: string, action: string, more?: object) => Promise<void>;
};

/** Browsers log every failed request; pages show those themselves. */
const EXPECTED = /the server responded with a status of (4\d\d|503)|net::ERR_/;

/** Folder of the built console. */
export const CONSOLE_FOLDER = join(ROOT, "dist/console");

/** Runs tests of the built console in a browser, with their own server; skipped if there is no browser. */
export function withConsole(name: string, tests: (setup: () => ConsoleSetup) => void): void {
  let setup: ConsoleSetup | undefined;
  describe.skipIf(BROWSER_PROBLEM !== null)(name, () => {
    beforeAll(async () => {
      setup = await startSetup();
    });
    tests(() => setup as ConsoleSetup);
  });
}

const BROWSER_PROBLEM = await browserProblem();
if (BROWSER_PROBLEM !== null) console.warn(`skipped: ${BROWSER_PROBLEM}`);

async function startSetup(): Promise<ConsoleSetup> {
  const server = await startTestServer({
    server: { console: consoleOptions(PLUGINS, CONSOLE_FOLDER) },
  });
  const browser = await openBrowser();
  afterAll(() => browser.close());
  const tokens = {
    admin: server.admin,
    ann: await server.member({ id: "ann", name: "Ann Baker", roles: ["agent", "worker"] }),
    bob: await server.member({ id: "bob", name: "Bob Stone", roles: ["agent", "worker"] }),
    lea: await server.member({ id: "lea", name: "Lea Marsh", roles: ["lead"] }),
    tom: await server.member({
      id: "tom",
      name: "Tom Becker",
      roles: ["executor"],
      skill_level: 6,
      specializations: ["welding"],
    }),
    eve: await server.member({ id: "eve", name: "Eve Watcher", roles: ["viewer"] }),
  };
  const ask = async (who: keyof typeof tokens, what: string, body: object) => {
    const reply = await server.ask(what, { token: tokens[who], body });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body;
  };
  return {
    server,
    tokens,
    openPage: async (who, path, options = {}, base = server.url) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: "en",
        ...options,
      });
      context.setDefaultTimeout(WAIT_LIMIT_MS);
      if (who !== null)
        await context.request.post(`${base}/api/session`, {
          data: { token: typeof who === "string" ? tokens[who] : who.token },
        });
      const page = await context.newPage();
      const errors = watchForErrors(page, base);
      onTestFinished(async () => {
        await context.close();
        expect(errors).toEqual([]);
      });
      await page.goto(base + path);
      return page;
    },
    createTask: async (title, more = {}) =>
      String(
        (await ask("ann", "POST /api/tasks", { lifecycle: "board", title, description: "So", ...more })).id,
      ),
    move: async (who, id, action, more = {}) => {
      await ask(who, `POST /api/tasks/${id}/transitions`, { action, comment: "so", ...more });
    },
  };
}

/** Collects script errors, blocked scripts and styles, and requests to other hosts. */
function watchForErrors(page: Page, url: string): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text())) errors.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:"))
      errors.push(`requests ${request.url()}`);
  });
  return errors;
}
