import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { BOT_ACTIONS_ROUTES } from "../../../src/lifecycles/bot-actions/index.ts";
import { emptyDatabase, scratchData, startPawl } from "../../http/running-pawl.ts";
import type { RunningPawl } from "../../http/running-pawl.ts";
import { openBrowser, browserProblem } from "../../support/browser.ts";
import { freePort, makeChatApp, servePages } from "./chat-app.ts";
import type { ChatApp } from "./chat-app.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const TOKEN = "an-admin-of-the-test";
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const bot = createClient({ url, token: TOKEN }).calls(BOT_ACTIONS_ROUTES);
const missing = await browserProblem();
if (missing !== null) console.warn(`skipped: ${missing}`);

let app: ChatApp;
let pages: string;
let browser: Browser | undefined;
let pawl: RunningPawl | undefined;
let databaseUrl: string;
let data: string;
let hasReact18 = false;

beforeAll(async () => {
  app = await makeChatApp();
  const react18 = await app.react18();
  hasReact18 = react18 !== null;
  const bundles = { "19": await app.bundle(app.react19), "18": react18 && (await app.bundle(react18)) };
  for (const [version, text] of Object.entries(bundles)) {
    const found =
      text === null ? [] : ["18", "19"].filter((one) => new RegExp(`"${one}\\.\\d+\\.\\d+"`).test(text));
    if (text !== null) expect(found).toEqual([version]);
  }
  pages = await servePages({ ...bundles, states: await app.bundle(app.react19, "states.tsx") });
  databaseUrl = await emptyDatabase({ until: afterAll });
  data = await scratchData({ until: afterAll });
  await start();
  if (missing === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await pawl?.stop("SIGKILL");
});

async function start(env: Record<string, string> = {}): Promise<void> {
  pawl = await startPawl(["--port", String(port), "--data", data], {
    env: { DATABASE_URL: databaseUrl, PAWL_ADMIN_TOKEN: TOKEN, PAWL_CORS_ORIGINS: pages, ...env },
    // The last one is stopped in afterAll.
    until: () => undefined,
  });
}

let chats = 0;

/** Opens the page of a new chat in the browser. */
async function openChat(react = "19", options: Parameters<Browser["newContext"]>[0] = {}) {
  if (!browser) throw new Error("the browser is not open");
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/Content.Security.Policy|Warning:/i.test(message.text())) faults.push(message.text());
  });
  const chatId = `chat ${++chats}`;
  const query = new URLSearchParams({ url, chat: chatId });
  await page.goto(`${pages}/${react}/?${query.toString()}#token=${TOKEN}`);
  const chat = { workspaceId: "main", chatId };
  return {
    page,
    faults,
    start: (actionId: string, actionType = "transcribe_audio") =>
      bot.startBotAction({ ...chat, actionId, actionType }),
    update: (actionId: string, status: "done" | "error" = "done") =>
      bot.updateBotAction({ ...chat, actionId, status }),
    fail: (actionId: string, displayText: string) =>
      bot.updateBotAction({ ...chat, actionId, status: "error", displayText }),
    say: (text: string) => bot.sayInChat({ ...chat, text }),
    leave: () => context.close(),
  };
}

/** Has a long timeout, because the machine may be busy. */
const eventually = (expectation: () => Promise<void>) =>
  vi.waitFor(expectation, { timeout: WAIT_LIMIT_MS, interval: 20 });

const shows = (page: Page, text: string) =>
  eventually(async () => {
    expect(await page.getByRole("status").textContent()).toBe(text);
  });

test("the example page compiles in a project that has installed Pawl", () => {
  expect(app.compilerOutput).toBe("");
});

describe.skipIf(missing !== null)("in a browser", () => {
  test("the line appears when a bot starts, survives a reload, and disappears when the bot is done", async () => {
    const { page, start: begin, update, say, faults, leave } = await openChat();
    await say("hello");
    await page.getByText("hello").waitFor();
    await begin("a");
    const before = performance.now();
    await shows(page, "Готовим стенограмму…");
    console.info(
      `the line appeared ${Math.round(performance.now() - before)} ms after the start was answered`,
    );
    await page.reload();
    await shows(page, "Готовим стенограмму…");
    // The line is not a message.
    await expect.poll(() => page.getByRole("listitem").allTextContents()).toEqual(["adminhello"]);
    await update("a");
    await shows(page, "");
    expect(faults).toEqual([]);
    await leave();
  });

  test("the newer of two actions is shown, with the number of others; an update of the older one does not hide it", async () => {
    const { page, start: begin, update, leave } = await openChat();
    await begin("older", "summarize");
    await begin("newer", "generate_image");
    await shows(page, "Создаём изображение…и ещё 1");
    await update("older");
    await shows(page, "Создаём изображение…");
    await begin("other", "cook_dinner");
    await shows(page, "Выполняем действие…и ещё 1");
    await update("other", "error");
    await shows(page, "Создаём изображение…");
    await leave();
  });

  test("axe finds no accessibility problem, and prefers-reduced-motion stops the spinner", async () => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      const { page, start: begin, leave } = await openChat("19", { reducedMotion });
      await begin("a");
      await shows(page, "Готовим стенограмму…");
      const turning = () => page.evaluate("document.getAnimations().length");
      expect(await turning()).toBe(reducedMotion === "reduce" ? 0 : 1);
      // A change of the preference takes effect at once.
      await page.emulateMedia({ reducedMotion: reducedMotion === "reduce" ? "no-preference" : "reduce" });
      await eventually(async () => {
        expect(await turning()).toBe(reducedMotion === "reduce" ? 1 : 0);
      });
      await page.evaluate(await axe());
      const { violations } = await page.evaluate<AxeResult>("axe.run()");
      expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
      await leave();
    }
  });

  test("a failed action stays visible with an icon and its text, also on a page without styles", async () => {
    const { page, start: begin, faults, fail, leave } = await openChat();
    await page.evaluate("document.querySelector('link[rel=stylesheet]').remove()");
    await begin("a");
    await shows(page, "Готовим стенограмму…");
    // Recorded in the page: a busy test process may look too late.
    await page.evaluate(RECORD_LINE);
    await fail("a", "Запись повреждена");
    await shows(page, "");
    const [failed, empty] = await page.evaluate<RecordedLine[]>("recordedLines");
    expect(failed).toMatchObject({ text: "Запись повреждена", label: "Не получилось" });
    expect(failed?.width).toBeGreaterThan(10);
    expect(empty).toMatchObject({ text: "", label: null });
    expect(empty!.at - failed!.at).toBeGreaterThan(1_700);
    expect(faults).toEqual([]);
    await leave();
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
  ] as const)(
    "the page of all states shows each in both languages, in one line (%s, %d px)",
    async (colorScheme, width) => {
      const context = await browser!.newContext({
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      await page.goto(`${pages}/states/`);
      const rows = page.locator("tbody tr");
      await rows.first().waitFor();
      const shown = await rows.evaluateAll((all) =>
        (all as unknown as { querySelectorAll: (query: string) => Iterable<{ textContent: string }> }[]).map(
          (row) => [...row.querySelectorAll("td")].map(({ textContent }) => textContent),
        ),
      );
      expect(shown).toHaveLength(15);
      expect(shown[0]).toEqual(["", ""]);
      expect(shown).toContainEqual(["Transcribing…", "Готовим стенограмму…"]);
      expect(shown).toContainEqual(["Done", "Готово"]);
      expect(shown).toContainEqual(["That did not work", "Не получилось"]);
      expect(shown.at(-1)).toEqual([
        "Summarizing…DoneThe recording is damagedand 1 more",
        "Готовим саммари…ГотовоThe recording is damagedи ещё 1",
      ]);
      const heights = await page
        .getByRole("status")
        .evaluateAll((all) =>
          (all as unknown as { offsetHeight: number }[]).map(({ offsetHeight }) => offsetHeight),
        );
      expect(Math.max(...heights)).toBeLessThan(30);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await page.evaluate(await axe());
      const { violations } = await page.evaluate<AxeResult>("axe.run()");
      expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
      if (process.env.PAWL_TEST_PICTURES)
        await page.screenshot({
          path: `${process.env.PAWL_TEST_PICTURES}/states-${colorScheme}-${width}.png`,
          fullPage: true,
        });
      await context.close();
    },
  );

  test("after a restart of the server during an action, an update still removes the line", async () => {
    const { page, start: begin, update, say, leave } = await openChat();
    await begin("a");
    await begin("b", "summarize");
    await shows(page, "Готовим саммари…и ещё 1");
    await pawl?.stop();
    await start();
    await update("b");
    await shows(page, "Готовим стенограмму…");
    await update("a", "error");
    await shows(page, "");
    await say("still here");
    await page.getByText("still here").waitFor();
    await leave();
  });

  test("the watchdog ends the action of a bot that sends no update, and the line disappears", async () => {
    await pawl?.stop();
    // Fractions: a limit of 3.6 seconds, checked every 0.6.
    await start({ BOT_ACTION_MAX_PROCESSING_HOURS: "0.001", BOT_ACTION_WATCHDOG_INTERVAL_MINUTES: "0.01" });
    const { page, start: begin, leave } = await openChat();
    const { action } = await begin("a");
    await shows(page, "Готовим стенограмму…");
    await shows(page, "");
    const { actions } = await bot.listBotActions({ chatId: action.chatId, status: "error" });
    expect(actions).toMatchObject([{ actionId: "a", payload: { reason: "timeout" } }]);
    await leave();
  });

  test("the line works with React 18", async ({ skip }) => {
    if (!hasReact18) skip();
    await pawl?.stop();
    await start();
    const { page, start: begin, update, faults, leave } = await openChat("18");
    await begin("a");
    await shows(page, "Готовим стенограмму…");
    await page.reload();
    await shows(page, "Готовим стенограмму…");
    await update("a");
    await shows(page, "");
    expect(faults).toEqual([]);
    await leave();
  });
});

type RecordedLine = { at: number; text: string; label: string | null; width: number };

/** Records each state of the line with the label and the width of its icon. */
const RECORD_LINE = `{
  const line = document.querySelector("[role=status]");
  window.recordedLines = [];
  new MutationObserver(() => {
    const icon = line.querySelector("[role=img]");
    const [label, width] = [icon?.getAttribute("aria-label") ?? null, icon?.getBoundingClientRect().width ?? 0];
    recordedLines.push({ at: performance.now(), text: line.textContent, label, width });
  }).observe(line, { childList: true, subtree: true, characterData: true });
}`;

type AxeResult = { violations: { id: string; help: string }[] };

function axe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}
