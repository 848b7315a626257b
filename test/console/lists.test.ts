import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";
import { seriousFindings } from "./serious-findings.ts";

const PHONE = { viewport: { width: 390, height: 844 } };

withConsole("lists", (setup) => {
  const titles = (page: Page) => page.locator("[role=row] [role=cell]:nth-child(2) a").allInnerTexts();
  const headings = async (page: Page) =>
    (await page.locator("[role=columnheader]").allInnerTexts()).filter((text) => text !== "");
  /** Creates tasks in a project of their own. */
  const createMany = async (project: string, count: number) => {
    const { server, tokens } = setup();
    await server.ask("POST /api/projects", { body: { id: project, name: project } });
    const tasks = Array.from({ length: count }, (_, index) => ({
      lifecycle: "board",
      project_id: project,
      title: `Number ${String(index).padStart(3, "0")}`,
      description: "One of many",
    }));
    const reply = await server.ask("POST /api/tasks/batch", { token: tokens.ann, body: { tasks } });
    expect(reply.status).toBe(201);
  };

  test("everything that the overview counts leads to the tasks that were counted", async () => {
    const id = await setup().createTask("Counted as late", { project_id: "main" });
    await setup().createTask("Counted as new");
    await setup().move("ann", id, "claim");
    await setup().server.sql`update pawl.task set due_at = now() - interval '1 hour' where id = ${id}`;
    const page = await setup().openPage("bob", "/");
    const card = page.locator(".lifecycle-card", { hasText: "board" });
    const follow = async (link: ReturnType<Page["locator"]>, address: RegExp, expected: string[]) => {
      await link.click();
      await page.waitForURL(address);
      await expect.poll(() => titles(page)).toEqual(expected);
      await page.goBack();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    };
    await follow(card.getByRole("link", { name: /New 1/ }), /table\?status=NEW/, ["Counted as new"]);
    await follow(card.getByRole("link", { name: "2 open" }), /status=.*NEW/, [
      "Counted as new",
      "Counted as late",
    ]);
    await follow(card.getByRole("link", { name: "2 created" }), /sort=created/, [
      "Counted as new",
      "Counted as late",
    ]);
    await follow(card.getByRole("link", { name: "1 task needs attention" }), /table\?attention=1/, [
      "Counted as late",
    ]);
    await follow(
      page.locator(".overview-side").getByRole("link", { name: "1 task needs attention" }),
      /tasks\?attention/,
      ["Counted as late"],
    );
    await follow(page.locator(".workers").getByRole("link", { name: "Ann Baker" }), /tasks\?owner=ann/, [
      "Counted as late",
    ]);
    await follow(page.getByRole("link", { name: /1 timer overdue/ }), /sort=due/, ["Counted as late"]);
    await follow(card.locator(".stays").getByRole("link", { name: "New" }), /order=asc/, ["Counted as new"]);
  });

  test("my tasks are those that I own and those whose lease I hold, in every lifecycle", async () => {
    const { server, tokens } = setup();
    const id = await setup().createTask("Owned by Bob");
    await setup().move("bob", id, "claim");
    await server.ask("POST /api/tasks", {
      token: tokens.lea,
      body: { lifecycle: "code", title: "Leased by Bob" },
    });
    await server.ask("POST /api/claims", { token: tokens.bob, body: { lifecycle: "code" } });
    const page = await setup().openPage("bob", "/");
    await page.getByRole("link", { name: "My tasks" }).click();
    await expect.poll(() => titles(page)).toEqual(["Leased by Bob", "Owned by Bob"]);
    // The list changes with its tasks.
    await setup().move("bob", id, "release");
    await expect.poll(() => titles(page)).toEqual(["Leased by Bob"]);
    await page.getByRole("combobox", { name: "Lifecycle" }).selectOption("board");
    await page.getByText("No tasks match the filters").waitFor();
  });

  test("columns are chosen and resized by pointer and keys, and stay so", async () => {
    await setup().createTask("With columns");
    const page = await setup().openPage("bob", "/lifecycles/board/table?q=With+columns");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("button", { name: "Priority", pressed: true }).click();
    await page.getByRole("button", { name: "Creator", pressed: false }).click();
    await page.keyboard.press("Escape");
    const shown = ["Title", "Status", "Owner", "In status", "Deadline", "Changed", "Created", "Creator"];
    await expect.poll(() => headings(page)).toEqual(shown);
    const status = page.getByRole("columnheader", { name: "Status", exact: true });
    const width = async () => (await status.boundingBox())!.width;
    const before = await width();
    await page.getByRole("separator", { name: "Width of Status", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(width).toBe(before + 16);
    const edge = (await page.getByRole("separator", { name: "Width of Status" }).boundingBox())!;
    await page.mouse.move(edge.x + 4, edge.y + 8);
    await page.mouse.down();
    await page.mouse.move(edge.x + 64, edge.y + 8, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(before + 76);
    await page.reload();
    await expect.poll(() => headings(page)).toEqual(shown);
    expect(await width()).toBe(before + 76);
    await page.getByRole("button", { name: "Columns" }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Default columns" }).click();
    await expect.poll(() => headings(page)).toContain("Priority");
    await expect.poll(width).toBe(before);
  });

  test("Shift selects a range, and all matching tasks can be selected and moved", async () => {
    await createMany("many", 130);
    const page = await setup().openPage("bob", "/lifecycles/board/table?project=many&order=asc");
    await page.getByText("100 of 130").waitFor();
    const box = (index: string) => page.getByLabel(`Select “Number ${index}”`);
    await box("002").click();
    await box("006").click({ modifiers: ["Shift"] });
    await page.getByText("5 selected").waitFor();
    await box("004").click();
    await box("005").click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    expect(await page.getByRole("button", { name: /matching tasks/ }).count()).toBe(0);
    await page.getByLabel("Select all loaded tasks").check();
    await page.getByText("100 selected").waitFor();
    await page.getByRole("button", { name: "Select all 130 matching tasks" }).click();
    await page.getByText("130 selected").waitFor();
    await page.getByLabel("Choose an action").selectOption("claim");
    await page.getByRole("dialog").getByLabel("Comment").fill("all of them");
    await page.getByRole("dialog").getByRole("button", { name: "Claim" }).click();
    await page.getByText("130 done, 0 refused").waitFor();
  });

  test("a list is downloaded as CSV with its columns: all that match, or those selected", async () => {
    await createMany("sheet", 120);
    const page = await setup().openPage("bob", "/lifecycles/board/table?project=sheet&order=asc");
    await page.getByText("100 of 120").waitFor();
    const download = async () => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      expect(file.suggestedFilename()).toBe("board.csv");
      return (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
    };
    const all = await download();
    expect(all).toHaveLength(121);
    expect(all[0]).toBe("\uFEFFTitle,Status,Owner,Priority,In status,Deadline,Changed,Created");
    expect(all[1]).toMatch(/^Number 000,New,,\d+,\d{4}-/);
    await page.getByLabel("Select “Number 001”").check();
    expect(await download()).toHaveLength(2);
  });

  test("a view keeps its filters under a name, and its link can be shared", async () => {
    await setup().createTask("Shown by a view");
    const page = await setup().openPage("bob", "/lifecycles/board/table?q=Shown&sort=priority");
    await page.getByRole("button", { name: "Views" }).click();
    const link = await page.locator(".view-menu code").innerText();
    expect(link).toBe(`${setup().server.url}/lifecycles/board/table?q=Shown&sort=priority`);
    await page.getByLabel("Name of the view").fill("Most urgent");
    await page.keyboard.press("Enter");
    await page.getByText("The view “Most urgent” is saved").waitFor();
    await page.goto(`${setup().server.url}/lifecycles/board/table`);
    await page.getByRole("button", { name: "Views" }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Most urgent" }).click();
    await page.waitForURL(/q=Shown&sort=priority/);
    await expect.poll(() => titles(page)).toEqual(["Shown by a view"]);
    // It belongs to its page: the board has none.
    await page.getByRole("link", { name: "Board", exact: true }).click();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByText("Filter and sort the list").waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${setup().server.url}/lifecycles/board/table`);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Delete the view “Most urgent”" }).click();
    await page.getByText("Filter and sort the list").waitFor();
  });

  test("fit on a phone with their menus", async () => {
    await setup().createTask("On a phone");
    const page = await setup().openPage("bob", "/lifecycles/board/table", PHONE);
    for (const menu of ["Columns", "Views"]) {
      await page.getByRole("button", { name: menu }).click();
      const box = (await page.locator(".menu").boundingBox())!;
      expect(box.x, menu).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width, menu).toBeLessThanOrEqual(390);
      await page.keyboard.press("Escape");
    }
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
  });
});
