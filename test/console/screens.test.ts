import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

withConsole("every screen", (setup) => {
  test("the overview shows counts, stuck tasks and active members, and updates live", async () => {
    const id = await setup().createTask("Worked upon");
    await setup().move("ann", id, "claim");
    const page = await setup().openPage("bob", "/");
    const card = page.locator(".lifecycle-card", {
      has: page.getByRole("link", { name: "board", exact: true }),
    });
    await card.getByText("In progress").waitFor();
    await card.locator("canvas").waitFor();
    await page.getByRole("heading", { name: "Active members" }).waitFor();
    await page.locator(".workers").getByText("Ann Baker").waitFor();
    await page.getByText("Nothing needs attention").waitFor();
    await page.getByRole("button", { name: "Last hour" }).click();
    await page.waitForURL(/window=hour/);
    // The project's settings make a new task stuck at the next sweep.
    const { server, tokens } = setup();
    const settings = { board: { status_deadlines: { NEW: 0.0001 } } };
    await server.ask("POST /api/projects", { token: tokens.admin, body: { id: "hasty", settings } });
    const late = await setup().createTask("Nobody came in time", { project_id: "hasty" });
    const status = async () => {
      await server.engine.sweep();
      return (await server.ask(`GET /api/tasks/${late}`)).body.status;
    };
    await expect.poll(status).toBe("STUCK");
    const stuck = page.locator(".attention li", { hasText: "Nobody came in time" });
    await stuck.getByText("Stuck").waitFor();
    await stuck.getByRole("link", { name: "Nobody came in time" }).click();
    await page.getByRole("heading", { name: "Nobody came in time" }).waitFor();
  });

  test("a task shows its journal and its actions with all refusals, and updates live", async () => {
    const blocker = await setup().createTask("Must be first");
    const id = await setup().createTask("Comes second", { blocked_by: [blocker] });
    const page = await setup().openPage("bob", `/tasks/${id}`);
    await page.getByRole("heading", { name: "Comes second" }).waitFor();
    await page.locator(".react-flow__node", { hasText: "Must be first" }).waitFor();
    await page.getByText("Unavailable actions and reasons").click();
    await page.locator(".refused").getByLabel("Show error codes").check();
    await page.locator(".refused").getByText("UNRESOLVED_BLOCKERS").first().waitFor();
    await page.getByRole("button", { name: "Comment" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("<b>still waiting</b>");
    await dialog.getByRole("button", { name: "Comment" }).click();
    await page.locator(".timeline").getByText("<b>still waiting</b>").waitFor();
    await setup().move("ann", blocker, "claim");
    await setup().move("ann", blocker, "complete");
    await page.getByRole("button", { name: "Claim" }).waitFor();
    await page.locator(".react-flow__node", { hasText: "Must be first" }).getByText("Done").waitFor();
  });

  test("the table sorts, filters, and runs bulk actions with a result for each task", async () => {
    const ids = await Promise.all(
      ["low", "high", "normal"].map((priority) => setup().createTask(`Bulk of ${priority}`, { priority })),
    );
    await setup().move("ann", ids[0]!, "claim");
    const page = await setup().openPage("bob", "/lifecycles/board/table?q=Bulk");
    const titles = () => page.locator("[role=row] a").allInnerTexts();
    await page.getByText("3 in total").waitFor();
    await page.getByRole("button", { name: "Priority" }).click();
    await expect.poll(titles).toEqual(["Bulk of high", "Bulk of normal", "Bulk of low"]);
    await page.getByRole("button", { name: "Priority" }).click();
    await page.waitForURL(/order=asc/);
    await expect.poll(titles).toEqual(["Bulk of low", "Bulk of normal", "Bulk of high"]);
    await page.getByLabel("Select all loaded tasks").check();
    await page.getByLabel("Choose an action").selectOption("claim");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("all of them");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await page.getByText("2 done, 1 refused").waitFor();
    await page.locator(".results li", { hasText: "Bulk of low" }).getByText("ann was first").waitFor();
    await page.getByRole("dialog").locator("footer").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator("[role=row]", { hasText: "Bob Stone" }).count()).toBe(2);
  });

  test("bulk results stay visible when the moved tasks leave the list", async () => {
    await setup().createTask("Leaves the list, one");
    await setup().createTask("Leaves the list, two");
    const page = await setup().openPage("bob", "/lifecycles/board/table?q=Leaves&status=NEW");
    await page.getByText("2 in total").waitFor();
    await page.getByLabel("Select all loaded tasks").check();
    await page.getByLabel("Choose an action").selectOption("claim");
    await page.getByRole("dialog").getByLabel("Comment").fill("both");
    await page.getByRole("dialog").getByRole("button", { name: "Claim" }).click();
    await page.getByText("No tasks match the filters").waitFor();
    await page.getByText("2 done, 0 refused").waitFor();
  });

  test("a lifecycle shows its diagram with counts, its rules and its check report", async () => {
    const page = await setup().openPage("eve", "/lifecycles/planner/rules");
    await page.locator(".react-flow__node", { hasText: "In progress" }).waitFor();
    await page.locator(".graph-label", { hasText: "review_approve" }).first().waitFor();
    await page.getByText("No problems found").waitFor();
    await page.getByRole("cell", { name: "skill to take, trade matches, wip is zero" }).waitFor();
  });

  test("live events appear as they happen, can be filtered, and wait while paused", async () => {
    const page = await setup().openPage("bob", "/events");
    await page.locator("[data-connection=live]").waitFor();
    await page.getByText("Waiting for events").waitFor();
    const id = await setup().createTask("Seen as it happens");
    await page.locator(".event", { hasText: "Seen as it happens" }).getByText("Create").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await setup().move("bob", id, "claim");
    await page.getByText("Paused: 1 new event").waitFor();
    expect(await page.locator(".event", { hasText: "Claim" }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".event", { hasText: "Claim" }).getByText("Bob Stone").waitFor();
    await page.getByLabel("Filter by action, status, actor or task").fill("create");
    await page.locator(".event", { hasText: "Claim" }).waitFor({ state: "detached" });
  });

  test("an admin adds a member, creates a working token, and revokes it", async () => {
    const page = await setup().openPage("admin", "/members");
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
    await page.getByText("No valid tokens").waitFor();
    await page.getByLabel("Name of the new token").fill("laptop");
    await page.getByLabel("Expires").selectOption("after 90 days");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByText(/laptop · created .* · never used · until/).waitFor();
    const token = await page.locator(".secret code").innerText();
    const me = () => setup().server.ask("GET /api/me", { token });
    expect((await me()).body).toMatchObject({ id: "zoe", roles: ["agent", "own-role"] });
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoke this token?").waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The token is revoked.").waitFor();
    expect((await me()).status).toBe(401);
  });

  test("an admin overrides a lifecycle's deadlines for one project, and resets them", async () => {
    const { server, tokens } = setup();
    await server.ask("POST /api/projects", { token: tokens.admin, body: { id: "slow", name: "Slow lane" } });
    const page = await setup().openPage("admin", "/settings");
    const row = page.locator(".projects li", { hasText: "Slow lane" });
    const settings = async () => (await server.ask("GET /api/projects/slow")).body.settings;
    await row.getByRole("button", { name: "board" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /^New/ }).fill("240");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByRole("button", { name: /board\s*1/ }).waitFor();
    expect(await settings()).toEqual({ board: { status_deadlines: { NEW: 240 } } });
    await row.getByRole("button", { name: "board" }).click();
    await dialog.getByRole("textbox", { name: /^New/ }).fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByRole("button", { name: "board", exact: true }).waitFor();
    expect(JSON.stringify(await settings())).not.toContain("240");
  });

  test("the palette opens pages and tasks, and changes the language", async () => {
    await setup().createTask("Hidden in the palette");
    const page = await setup().openPage("bob", "/");
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
    // Names of the lifecycle are translated too, including dialog fields and refusals.
    await page.getByText("Недоступные действия и причины").click();
    await page.getByText("Невозможно в статусе «Новая»:").waitFor();
    await page.getByRole("button", { name: "Взять" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Взять" }).click();
    await page.getByRole("dialog").getByText("Заполните это поле").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Shortcuts work with another keyboard layout.
    await page.evaluate(
      "window.dispatchEvent(new KeyboardEvent('keydown', { key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true }))",
    );
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
    // The two keys must follow each other quickly, which a slow machine may miss.
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
    const id = await setup().createTask("Only to look at");
    const page = await setup().openPage("eve", "/lifecycles/board/board?q=Only");
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
    await page.goto(`${setup().server.url}/tasks/${id}`);
    await page.getByText("You cannot do anything with this task now.").waitFor();
    await page.goto(`${setup().server.url}/lifecycles/board/table?q=Only`);
    await page.getByText("1 in total").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.goto(`${setup().server.url}/lifecycles/bot-actions/chat`);
    await page.getByText("Read-only access").waitFor();
    await page.goto(`${setup().server.url}/lifecycles/planner/pool`);
    await page.getByText("You have no task").waitFor();
    expect(await page.getByRole("button", { name: /Take|Assign/ }).count()).toBe(0);
    await page.goto(`${setup().server.url}/lifecycles/delivery/users`);
    await page.getByText("For admins").waitFor();
    await page.goto(`${setup().server.url}/members`);
    await page.getByText("Only admins can change members and create tokens.").waitFor();
    expect(await page.getByRole("button", { name: "Add a member" }).count()).toBe(0);
    // The server refuses it regardless of the page.
    const answer = await page.evaluate<string, string>(async (task) => {
      const { csrf_token } = (await (await fetch("/api/session")).json()) as { csrf_token: string };
      const headers = { "content-type": "application/json", "x-csrf-token": csrf_token };
      const body = JSON.stringify({ action: "claim", comment: "mine" });
      const response = await fetch(`/api/tasks/${task}/transitions`, { method: "POST", headers, body });
      return `${response.status} ${((await response.json()) as { code: string }).code}`;
    }, id);
    expect(answer).toBe("403 FORBIDDEN");
  });

  test("an unknown address and an unknown task show an error", async () => {
    const page = await setup().openPage("bob", "/nowhere/at/all");
    await page.getByText("Page not found").waitFor();
    await page.goto(`${setup().server.url}/tasks/0197a000-0000-7000-8000-000000000001`);
    await page.getByText("Task not found").waitFor();
  });
});
