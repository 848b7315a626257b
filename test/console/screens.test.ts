import { expect, test } from "vitest";
import { onStage } from "./stage.ts";

onStage("every screen", (stage) => {
  test("the overview counts, tells what is stuck and who works, and follows what happens", async () => {
    const id = await stage().make("Worked upon");
    await stage().act("ann", id, "claim");
    const page = await stage().visit("bob", "/");
    const card = page.locator(".lifecycle-card", {
      has: page.getByRole("link", { name: "board", exact: true }),
    });
    await card.getByText("In progress").waitFor();
    await card.locator("canvas").waitFor();
    await page.getByRole("heading", { name: "Who is working" }).waitFor();
    await page.locator(".workers").getByText("Ann Baker").waitFor();
    await page.getByText("Nothing is stuck").waitFor();
    await page.getByRole("button", { name: "Last hour" }).click();
    await page.waitForURL(/window=hour/);
    // By the settings of its project a task is stuck at once, when the sweep comes.
    const { desk, tokens } = stage();
    const settings = { board: { status_deadlines: { NEW: 0.0001 } } };
    await desk.ask("POST /api/projects", { token: tokens.admin, body: { id: "hasty", settings } });
    const late = await stage().make("Nobody came in time", { project_id: "hasty" });
    const status = async () => {
      await desk.engine.sweep();
      return (await desk.ask(`GET /api/tasks/${late}`)).body.status;
    };
    await expect.poll(status).toBe("STUCK");
    const stuck = page.locator(".attention li", { hasText: "Nobody came in time" });
    await stuck.getByText("Stuck").waitFor();
    await stuck.getByRole("link").click();
    await page.getByRole("heading", { name: "Nobody came in time" }).waitFor();
  });

  test("a task shows its journal, what may be done and every reason why not, and changes while it is looked at", async () => {
    const blocker = await stage().make("Must be first");
    const id = await stage().make("Comes second", { blocked_by: [blocker] });
    const page = await stage().visit("bob", `/tasks/${id}`);
    await page.getByRole("heading", { name: "Comes second" }).waitFor();
    await page.locator(".react-flow__node", { hasText: "Must be first" }).waitFor();
    await page.getByText("What you may not do, and why").click();
    await page.locator(".refused").getByText("UNRESOLVED_BLOCKERS").first().waitFor();
    await page.getByRole("button", { name: "Comment" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("<b>still waiting</b>");
    await dialog.getByRole("button", { name: "Comment" }).click();
    await page.locator(".timeline").getByText("<b>still waiting</b>").waitFor();
    await stage().act("ann", blocker, "claim");
    await stage().act("ann", blocker, "complete");
    await page.getByRole("button", { name: "Claim" }).waitFor();
    await page.locator(".react-flow__node", { hasText: "Must be first" }).getByText("Done").waitFor();
  });

  test("the table sorts, filters, and acts on many with a result for each", async () => {
    const ids = await Promise.all(
      ["low", "high", "normal"].map((priority) => stage().make(`Bulk of ${priority}`, { priority })),
    );
    await stage().act("ann", ids[0]!, "claim");
    const page = await stage().visit("bob", "/lifecycles/board/table?q=Bulk");
    const titles = () => page.locator("[role=row] a").allInnerTexts();
    await page.getByText("3 in all").waitFor();
    await page.getByRole("button", { name: "Priority" }).click();
    await expect.poll(titles).toEqual(["Bulk of high", "Bulk of normal", "Bulk of low"]);
    await page.getByRole("button", { name: "Priority" }).click();
    await page.waitForURL(/order=asc/);
    await expect.poll(titles).toEqual(["Bulk of low", "Bulk of normal", "Bulk of high"]);
    await page.getByLabel("Select all that are loaded").check();
    await page.getByLabel("Choose an action").selectOption("claim");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("all of them");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await page.getByText("2 done, 1 refused").waitFor();
    await page.locator(".results li", { hasText: "Bulk of low" }).getByText("ann was first").waitFor();
    await page.getByRole("dialog").locator("footer").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator("[role=row]", { hasText: "Bob Stone" }).count()).toBe(2);
  });

  test("results stay to be read when what was moved leaves the list", async () => {
    await stage().make("Leaves the list, one");
    await stage().make("Leaves the list, two");
    const page = await stage().visit("bob", "/lifecycles/board/table?q=Leaves&status=NEW");
    await page.getByText("2 in all").waitFor();
    await page.getByLabel("Select all that are loaded").check();
    await page.getByLabel("Choose an action").selectOption("claim");
    await page.getByRole("dialog").getByLabel("Comment").fill("both");
    await page.getByRole("dialog").getByRole("button", { name: "Claim" }).click();
    await page.getByText("Nothing fits these filters").waitFor();
    await page.getByText("2 done, 0 refused").waitFor();
  });

  test("a lifecycle shows its diagram with counts, its rules and what check says of it", async () => {
    const page = await stage().visit("eve", "/lifecycles/planner/rules");
    await page.locator(".react-flow__node", { hasText: "In progress" }).waitFor();
    await page.locator(".graph-label", { hasText: "review_approve" }).first().waitFor();
    await page.getByText("Nothing is wrong").waitFor();
    await page.getByRole("cell", { name: "skill to take, trade matches, wip is zero" }).waitFor();
  });

  test("live events are told as they happen, filtered, and held back while paused", async () => {
    const page = await stage().visit("bob", "/events");
    await page.locator("[data-connection=live]").waitFor();
    await page.getByText("Waiting for something to happen").waitFor();
    const id = await stage().make("Seen as it happens");
    await page.locator(".event", { hasText: "Seen as it happens" }).getByText("Create").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await stage().act("bob", id, "claim");
    await page.getByText("Paused: 1 new event waits").waitFor();
    expect(await page.locator(".event", { hasText: "Claim" }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".event", { hasText: "Claim" }).getByText("Bob Stone").waitFor();
    await page.getByLabel("Filter by action, status, actor or task").fill("create");
    await page.locator(".event", { hasText: "Claim" }).waitFor({ state: "detached" });
  });

  test("an admin adds a member, makes a token that works, and revokes it", async () => {
    const page = await stage().visit("admin", "/members");
    await page.getByRole("button", { name: "Add a member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id").fill("zoe");
    await dialog.getByLabel("Name").fill("Zoe New");
    await dialog.getByLabel("Roles").fill("agent, own-role");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page
      .getByRole("row", { name: /Zoe New/ })
      .getByText("own-role")
      .waitFor();
    await page.getByRole("button", { name: "Tokens of Zoe New" }).click();
    await page.getByText("No token holds").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const token = await page.locator(".secret code").innerText();
    const me = () => stage().desk.ask("GET /api/me", { token });
    expect((await me()).body).toMatchObject({ id: "zoe", roles: ["agent", "own-role"] });
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoke this token?").waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The token is revoked.").waitFor();
    expect((await me()).status).toBe(401);
  });

  test("an admin sets a lifecycle's deadlines for one project, and takes them back", async () => {
    const { desk, tokens } = stage();
    await desk.ask("POST /api/projects", { token: tokens.admin, body: { id: "slow", name: "Slow lane" } });
    const page = await stage().visit("admin", "/settings");
    const row = page.locator(".projects li", { hasText: "Slow lane" });
    const settings = async () => (await desk.ask("GET /api/projects/slow")).body.settings;
    await row.getByRole("button", { name: "board" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("New").fill("240");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByRole("button", { name: /board\s*1/ }).waitFor();
    expect(await settings()).toEqual({ board: { status_deadlines: { NEW: 240 } } });
    await row.getByRole("button", { name: "board" }).click();
    await dialog.getByLabel("New").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByRole("button", { name: "board", exact: true }).waitFor();
    expect(JSON.stringify(await settings())).not.toContain("240");
  });

  test("the palette goes everywhere: to a screen, to a task by its title, and to another language", async () => {
    await stage().make("Hidden in the palette");
    const page = await stage().visit("bob", "/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("hidden in the");
    await page.getByRole("option", { name: /Hidden in the palette/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hidden in the palette" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("Русский");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Журнал" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("ru");
    // What the lifecycle names is said in Russian too, down to what a dialog asks and why something may not be done.
    await page.getByText("Чего не можете, и почему").click();
    await page.getByText("Начинается из «В работе»; задача сейчас «Новая».").first().waitFor();
    await page.getByRole("button", { name: "Взять" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Взять" }).click();
    await page.getByRole("dialog").getByText("Это нужно заполнить").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The same keys where another alphabet is written.
    await page.evaluate(
      "window.dispatchEvent(new KeyboardEvent('keydown', { key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true }))",
    );
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
    // Two keys that must come within a moment of each other, on a machine that may take its time between them.
    await expect
      .poll(async () => {
        await page.keyboard.press("g");
        await page.keyboard.press("e");
        return page.url();
      })
      .toMatch(/\/events$/);
    await page.getByRole("heading", { name: "События" }).waitFor();
  });

  test("a viewer sees everything and can change nothing", async () => {
    const id = await stage().make("Only to look at");
    const page = await stage().visit("eve", "/lifecycles/board/board?q=Only");
    const card = page.getByRole("article", { name: "Only to look at" });
    await card.waitFor();
    expect(await page.getByRole("button", { name: "New task" }).count()).toBe(0);
    await card.focus();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/Role viewer has no permission/)
      .first()
      .waitFor();
    expect(await dialog.locator("button.target").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.goto(`${stage().desk.url}/tasks/${id}`);
    await page.getByText("There is nothing that you may do with it now.").waitFor();
    await page.goto(`${stage().desk.url}/lifecycles/board/table?q=Only`);
    await page.getByText("1 in all").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.goto(`${stage().desk.url}/lifecycles/bot-actions/chat`);
    await page.getByText("You may look, not change").waitFor();
    await page.goto(`${stage().desk.url}/lifecycles/planner/pool`);
    await page.getByText("You have no task").waitFor();
    expect(await page.getByRole("button", { name: /Take|Assign/ }).count()).toBe(0);
    await page.goto(`${stage().desk.url}/lifecycles/delivery/users`);
    await page.getByText("For admins").waitFor();
    await page.goto(`${stage().desk.url}/members`);
    await page.getByText("Only admins change members and make tokens.").waitFor();
    expect(await page.getByRole("button", { name: "Add a member" }).count()).toBe(0);
    // The server decides, whatever a page shows.
    const answer = await page.evaluate<string, string>(async (task) => {
      const { csrf_token } = (await (await fetch("/api/session")).json()) as { csrf_token: string };
      const headers = { "content-type": "application/json", "x-csrf-token": csrf_token };
      const body = JSON.stringify({ action: "claim", comment: "mine" });
      const response = await fetch(`/api/tasks/${task}/transitions`, { method: "POST", headers, body });
      return `${response.status} ${((await response.json()) as { code: string }).code}`;
    }, id);
    expect(answer).toBe("403 FORBIDDEN");
  });

  test("an address that leads nowhere, and a task that is not there, say so", async () => {
    const page = await stage().visit("bob", "/nowhere/at/all");
    await page.getByText("There is nothing here").waitFor();
    await page.goto(`${stage().desk.url}/tasks/0197a000-0000-7000-8000-000000000001`);
    await page.getByText("There is no such task").waitFor();
  });
});
