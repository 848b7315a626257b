import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { seriousFindings } from "./serious-findings.ts";
import { CONSOLE_FOLDER, withConsole } from "./console-setup.ts";

const MAX_INITIAL_BYTES = 250_000;

/** Each screen, with an element that shows that it has loaded. */
const SCREENS: [path: string, ready: string][] = [
  ["/", ".workers"],
  ["/lifecycles/board/board?finished=1", "article"],
  ["/lifecycles/board/table", "[role=row] a"],
  ["/tasks?sort=updated", "[role=row] a"],
  ["/lifecycles/board/rules", ".react-flow__node"],
  ["/tasks/{task}", ".timeline li"],
  ["/insights?lifecycle=board", ".insights .oldest li"],
  ["/events", ".state"],
  ["/members", ".members"],
  ["/settings", ".projects li"],
];

withConsole("quality", (setup) => {
  test("axe finds nothing serious on any screen, light or dark", async () => {
    // These initials are part of no label on the page.
    await setup().server.ask("PATCH /api/members/admin", { body: { name: "Eva Queen" } });
    const id = await setup().createTask("Checked by axe");
    await setup().createTask("Waits for it", { blocked_by: [id] });
    await setup().move("ann", id, "claim");
    const findings: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await setup().openPage("admin", "/", { colorScheme });
      for (const [path, ready] of SCREENS) {
        await page.goto(setup().server.url + path.replace("{task}", id));
        await page.locator(ready).first().waitFor();
        for (const found of await seriousFindings(page)) findings.push(`${colorScheme} ${path} ${found}`);
      }
      await page.goto(`${setup().server.url}/lifecycles/board/board?new=1`);
      await page.getByRole("dialog").waitFor();
      for (const found of await seriousFindings(page)) findings.push(`${colorScheme} dialog ${found}`);
    }
    const page = await setup().openPage(null, "/");
    await page.getByLabel("Token").waitFor();
    findings.push(...(await seriousFindings(page)));
    expect(findings).toEqual([]);
  });

  test("no screen is wider than a phone", async () => {
    const id = await setup().createTask(
      "A title so long that it has to be broken somewhere, or cut at the end of its line",
    );
    await setup().server.member({
      id: "long",
      name: "Somebody with a Name of Many Words",
      roles: ["supervisor", "executor", "agent"],
    });
    const page = await setup().openPage("admin", "/", { viewport: { width: 390, height: 844 } });
    for (const [path, ready] of SCREENS) {
      await page.goto(setup().server.url + path.replace("{task}", id));
      await page.locator(ready).first().waitFor();
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect(`${path}: ${width}`).toBe(`${path}: 390`);
    }
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Live events" }).click();
    await page.getByRole("heading", { name: "Live events" }).waitFor();
  });

  test("the first script is small, and other scripts load on demand", () => {
    const page = readFileSync(join(CONSOLE_FOLDER, "index.html"), "utf8");
    const initial = [...page.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([path]) => path);
    const bytes = initial.reduce(
      (sum, path) => sum + gzipSync(readFileSync(join(CONSOLE_FOLDER, path))).length,
      0,
    );
    console.info(`first script of the console: ${bytes} bytes, compressed`);
    expect(bytes).toBeLessThan(MAX_INITIAL_BYTES);
    const scripts = readdirSync(join(CONSOLE_FOLDER, "assets")).filter((name) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(initial.length + 5);
  });

  test("scrolling a board of 10,000 tasks keeps few cards on the page and draws few per frame", async () => {
    const { server, tokens } = setup();
    for (let batch = 0; batch < 20; batch++) {
      const tasks = Array.from({ length: 500 }, (_, index) => ({
        lifecycle: "board",
        title: `Task number ${batch * 500 + index}`,
        description: "One of many",
        project_id: "main",
      }));
      const reply = await server.ask("POST /api/tasks/batch", { token: tokens.ann, body: { tasks } });
      expect(reply.status).toBe(201);
    }
    const page = await setup().openPage("bob", "/lifecycles/board/board");
    await page.locator("[data-column=NEW] article").first().waitFor();
    await page.locator("[data-column=NEW] header .badge", { hasText: /10,\d\d\d/ }).waitFor();
    await page.evaluate(WATCH_CARDS);
    // Each step waits until its cards are drawn.
    for (let step = 0; step < 60; step++) {
      await page.evaluate("document.querySelector('[data-column=NEW] .cards').scrollBy(0, 800)");
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    await page
      .locator("[data-column=NEW] article", { hasText: /Task number [1-9]\d{2,3}/ })
      .first()
      .waitFor();
    const { onPage, drawn } = await page.evaluate<Cards>("globalThis.cards");
    console.info(`scrolling 10,000 tasks: at most ${onPage} cards on the page, ${drawn} drawn at once`);
    expect(drawn, "it was scrolled").toBeGreaterThan(0);
    expect(onPage).toBeLessThan(60);
    expect(drawn).toBeLessThan(MAX_DRAWN_CARDS);
  });
});

/** A step reveals six cards. A board that keeps all cards on the page, or redraws them, exceeds this. */
const MAX_DRAWN_CARDS = 30;

type Cards = { onPage: number; drawn: number };

const WATCH_CARDS = `
  globalThis.cards = { onPage: 0, drawn: 0 };
  const cardsIn = (node) => (node.querySelectorAll ? node.querySelectorAll("article").length + node.matches("article") : 0);
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    const drawn = added.reduce((count, node) => count + cardsIn(node), 0);
    cards.drawn = Math.max(cards.drawn, drawn);
    cards.onPage = Math.max(cards.onPage, document.querySelectorAll("article").length);
  }).observe(document.body, { childList: true, subtree: true });`;
