import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

const PHONE = { viewport: { width: 390, height: 800 } };
const LONG = "Donaudampfschifffahrtsgesellschaft".repeat(5);
const HEBREW = "לבדוק את הדלת (v2)";

withConsole("in the console", (setup) => {
  const url = (path: string) => setup().server.url + path;

  describe("titles", () => {
    test("with one long word widen no page", async () => {
      const id = await setup().createTask(LONG);
      await setup().createTask("Waits for the long one", { blocked_by: [id] });
      const page = await setup().openPage("ann", `/tasks/${id}`, PHONE);
      for (const path of [
        `/tasks/${id}`,
        "/lifecycles/board/board",
        "/lifecycles/board/table",
        "/lifecycles/board/graph",
      ]) {
        await page.goto(url(path));
        await page.getByText(LONG).first().waitFor();
        expect(await page.evaluate<number>("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(
          390,
        );
      }
      await page.goto(url(`/tasks/${id}`));
      await page.getByRole("button", { name: "Claim" }).click();
      const dialog = await page.getByRole("dialog").boundingBox();
      expect(dialog!.x + dialog!.width).toBeLessThanOrEqual(390);
    });

    test("in a script that runs from right to left are read in that direction", async () => {
      const id = await setup().createTask(HEBREW);
      const page = await setup().openPage("ann", `/tasks/${id}`);
      const bidi = async (element: string) => {
        await page.locator(element, { hasText: HEBREW }).first().waitFor();
        return page.evaluate<string>(`getComputedStyle(document.querySelector("${element}")).unicodeBidi`);
      };
      expect(await bidi("h1")).toBe("plaintext");
      await page.goto(url("/lifecycles/board/board?q=v2"));
      expect(await bidi(".task-title")).toBe("plaintext");
      await page.goto(url("/lifecycles/board/table?q=v2"));
      expect(await bidi("[role=row] a")).toBe("plaintext");
      await page.goto(url("/lifecycles/board/board?new=1"));
      expect(await page.getByRole("dialog").getByLabel("Title").getAttribute("dir")).toBe("auto");
    });
  });

  test("a diagram is shown whole, with the arrows and labels around its boxes", async () => {
    const page = await setup().openPage("eve", "/lifecycles/planner/rules");
    for (const lifecycle of ["planner", "code", "board", "delivery"]) {
      await page.goto(url(`/lifecycles/${lifecycle}/rules`));
      await page.locator(".graph-label").first().waitFor();
      await expect.poll(() => cutParts(page), { message: lifecycle }).toEqual([]);
    }
  });

  /** The boxes, labels and arrows that reach out of the diagram. */
  const cutParts = (page: Page) =>
    page.evaluate<string[]>(`(() => {
      const frame = document.querySelector(".flow-graph").getBoundingClientRect();
      return [...document.querySelectorAll(".react-flow__node, .graph-label, .graph-edge")].flatMap((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const isWhole = left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
        return isWhole ? [] : [part.className.baseVal ?? part.className + " " + part.textContent];
      });
    })()`);

  test("the map of a large graph covers no task", async () => {
    let blocker = await setup().createTask("Link of the chain 0");
    for (let n = 1; n <= 42; n++)
      blocker = await setup().createTask(`Link of the chain ${n}`, { blocked_by: [blocker] });
    const page = await setup().openPage("ann", "/lifecycles/board/graph");
    const map = await page.locator(".react-flow__minimap").boundingBox();
    const graph = await page.locator(".task-graph").boundingBox();
    expect(map!.y).toBeGreaterThanOrEqual(graph!.y + graph!.height);
  });

  test("the tabs of a lifecycle stay in place from screen to screen", async () => {
    const page = await setup().openPage("lea", "/lifecycles/planner/board");
    const positions = () =>
      page.evaluate<string>(
        `[...document.querySelectorAll(".tabs > a")].map((tab) => { const { x, y } = tab.getBoundingClientRect(); return x + " " + y; }).join()`,
      );
    await page.locator(".tabs > a").first().waitFor();
    const first = await positions();
    for (const tab of ["Table", "Attention", "Pool", "Shifts", "Graph", "Lifecycle"]) {
      await page.locator(".tabs").getByRole("link", { name: tab }).click();
      await page.locator(".tabs [aria-current]", { hasText: tab }).waitFor();
      expect(await positions(), tab).toBe(first);
    }
  });

  test("the focus returns to where it was when Escape closes something", async () => {
    await setup().createTask("Focused card");
    const page = await setup().openPage("admin", "/lifecycles/board/board?q=Focused");
    const escape = async (closed: string) => {
      await page.keyboard.press("Escape");
      await page.locator(closed).waitFor({ state: "detached" });
    };
    const focused = () =>
      page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent");
    await page.getByRole("article", { name: "Focused card" }).focus();
    await page.keyboard.press("m");
    await page.locator("dialog[open]").waitFor();
    await escape("dialog[open]");
    expect(await focused()).toBe("Focused card");
    await page.keyboard.press("Control+k");
    await page.locator("dialog[open]").waitFor();
    await escape("dialog[open]");
    expect(await focused()).toBe("Focused card");
    for (const [path, button] of [
      ["/lifecycles/board/board", "New task"],
      ["/members", "Add a member"],
      ["/members", "Tokens of Eve Watcher"],
      ["/settings", "New project"],
    ] as const) {
      await page.goto(url(path));
      await page.getByRole("button", { name: button }).focus();
      await page.keyboard.press("Enter");
      await page.locator("dialog[open]").waitFor();
      await escape("dialog[open]");
      expect(await focused()).toBe(button);
    }
    await page.getByRole("button", { name: "Account" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".menu").waitFor();
    await escape(".menu");
    expect(await focused()).toBe("Account");
  });

  /** Clicks a link that is in view, by script: Playwright would scroll first. */
  const clickInView = (page: Page, list: string, link: string) =>
    expect
      .poll(() =>
        page.evaluate<boolean>(`(() => {
          const links = [...document.querySelector("${list}").querySelectorAll("${link}")];
          const inView = links.find((one) => one.getBoundingClientRect().top > 400);
          inView?.click();
          return inView !== undefined;
        })()`),
      )
      .toBe(true);

  test("Back leads to the same filters and the same place in the list", async () => {
    await Promise.all(
      Array.from({ length: 45 }, (_, n) => setup().createTask(`Row ${String(n).padStart(2, "0")} of many`)),
    );
    const page = await setup().openPage("ann", "/lifecycles/board/table");
    const at = (part: string) => page.evaluate<number>(`document.querySelector("${part}").scrollTop`);
    await page.getByLabel("Search titles").fill("of many");
    await page.getByText("45 in total").waitFor();
    await page.evaluate("document.querySelector('.rows').scrollTo(0, 700)");
    await clickInView(page, ".rows", "a");
    await page.getByRole("heading", { name: "Available actions" }).waitFor();
    await page.goBack();
    await expect.poll(() => at(".rows")).toBe(700);
    expect(await page.getByLabel("Search titles").inputValue()).toBe("of many");
    await page.goto(url("/lifecycles/board/board?q=of+many"));
    await page.locator(".task-card").first().waitFor();
    await page.evaluate("document.querySelector('.cards').scrollTo(0, 900)");
    await clickInView(page, ".cards", ".task-title");
    await page.getByRole("heading", { name: "Available actions" }).waitFor();
    await page.goBack();
    await expect.poll(() => at(".cards")).toBe(900);
    await page.goto(url("/members"));
    await page.getByLabel("Find a member").fill("eve");
    await page.locator(".side").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    expect(await page.getByLabel("Find a member").inputValue()).toBe("eve");
  });

  test("an empty table blames the filters only if there are some", async () => {
    const page = await setup().openPage("admin", "/lifecycles/delivery/table");
    await page.getByText("No tasks yet").waitFor();
    expect(await page.getByText("No tasks match the filters").count()).toBe(0);
    await page.goto(url("/lifecycles/delivery/table?q=nothing"));
    await page.getByText("No tasks match the filters").waitFor();
  });

  test("no task waits for one that is done", async () => {
    const blocker = await setup().createTask("Done before the others");
    await setup().createTask("First to wait", { blocked_by: [blocker] });
    await setup().createTask("Second to wait", { blocked_by: [blocker] });
    const page = await setup().openPage("ann", "/lifecycles/board/graph");
    const side = page.locator(".graph-side");
    await page.getByLabel("Find in the graph").fill("Done before");
    await page.keyboard.press("Enter");
    await side.getByText("2 tasks wait for it").waitFor();
    await setup().move("ann", blocker, "claim");
    await setup().move("ann", blocker, "complete");
    await side.getByText("no task waits for it").waitFor();
  });

  test("actions that are not possible are grouped by reason, without those of the system", async () => {
    const id = await setup().createTask("Not started yet");
    const page = await setup().openPage("bob", `/tasks/${id}`);
    const refused = page.locator(".refused");
    await refused.getByText("Unavailable actions and reasons").click();
    const group = refused.locator("> ul > li", { hasText: "Not possible in the status “New”:" });
    await group.getByText("Complete", { exact: true }).waitFor();
    await group.getByText("Resume", { exact: true }).waitFor();
    expect(await refused.getByText("Expire", { exact: true }).count()).toBe(0);
    expect(await refused.locator("code").count()).toBe(0);
    await refused.getByLabel("Show error codes").check();
    await group.getByText("INVALID_TRANSITION").waitFor();
  });

  test("the start sends each request once", async () => {
    const context = (await setup().openPage(null, "/")).context();
    await context.request.post(url("/api/session"), { data: { token: setup().tokens.admin } });
    const page = await context.newPage();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/")) sent.push(`${request.method()} ${request.url()}`);
    });
    await page.goto(url("/"));
    await page.locator(".lifecycle-card").first().waitFor();
    await page.waitForLoadState("load");
    expect(sent.filter((one, index) => sent.indexOf(one) !== index)).toEqual([]);
  });
});
