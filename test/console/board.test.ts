import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

const BOARD = "/lifecycles/board/board";

/** Drags a card over a column; the caller drops it. */
async function dragOver(page: Page, title: string, column: string): Promise<void> {
  const card = page.getByRole("article", { name: title });
  await card.waitFor();
  await card.scrollIntoViewIfNeeded();
  const from = (await card.boundingBox())!;
  await page.mouse.move(from.x + 40, from.y + from.height - 40);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + from.height - 30, { steps: 3 });
  const target = page.locator(`[data-column=${column}]`);
  await target.locator(".drop-note:not(:has-text('Checking'))").waitFor();
  await target.scrollIntoViewIfNeeded();
  const to = (await target.boundingBox())!;
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
}

const inColumn = (page: Page, column: string, title: string) =>
  page.locator(`[data-column=${column}]`).getByRole("article", { name: title });

withConsole("the board", (setup) => {
  test("a card is dragged to an allowed column, and the dialog asks for what the action needs", async () => {
    await setup().createTask("Collect the logos");
    const page = await setup().openPage("bob", BOARD);
    await dragOver(page, "Collect the logos", "IN_PROGRESS");
    expect(await page.locator("[data-column=IN_PROGRESS]").getAttribute("data-drop")).toBe("yes");
    await page.mouse.up();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await dialog.getByLabel("Comment").fill("I take it");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await inColumn(page, "IN_PROGRESS", "Collect the logos").getByText("Bob Stone").waitFor();
    expect(await inColumn(page, "NEW", "Collect the logos").count()).toBe(0);
  });

  test("a column that a card cannot move to shows the reasons, and a drop there moves nothing", async () => {
    const id = await setup().createTask("Held by another");
    await setup().move("ann", id, "claim");
    const page = await setup().openPage("bob", BOARD);
    await dragOver(page, "Held by another", "DONE");
    const done = page.locator("[data-column=DONE]");
    expect(await done.getAttribute("data-drop")).toBe("no");
    expect(await done.locator(".drop-note").innerText()).toContain("assignee");
    await page.mouse.up();
    await page.getByText(/^Not moved: .*assignee/).waitFor();
    await inColumn(page, "IN_PROGRESS", "Held by another").waitFor();
    const task = await setup().server.ask(`GET /api/tasks/${id}`);
    expect(task.body).toMatchObject({ status: "IN_PROGRESS", row_version: 2 });
  });

  test("Escape cancels dragging", async () => {
    await setup().createTask("Stays where it is");
    const page = await setup().openPage("bob", BOARD);
    await dragOver(page, "Stays where it is", "IN_PROGRESS");
    await page.keyboard.press("Escape");
    await page.locator(".ghost").waitFor({ state: "detached" });
    await page.mouse.up();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a change through the API appears in an open page without a reload", async () => {
    const page = await setup().openPage("bob", BOARD);
    await page.locator("[data-connection=live]").waitFor();
    const id = await setup().createTask("Made elsewhere");
    await inColumn(page, "NEW", "Made elsewhere").waitFor();
    await setup().move("ann", id, "claim");
    await inColumn(page, "IN_PROGRESS", "Made elsewhere").getByText("Ann Baker").waitFor();
    await inColumn(page, "NEW", "Made elsewhere").waitFor({ state: "detached" });
  });

  test("a change between the first request and the event stream is not missed", async () => {
    const page = await setup().openPage("bob", `${BOARD}?q=between`);
    let connect: () => void = () => undefined;
    const mayConnect = new Promise<void>((resolve) => {
      connect = resolve;
    });
    await page.route("**/api/events*", async (route) => {
      await mayConnect;
      await route.continue();
    });
    await page.reload();
    await page.locator("[data-column=NEW]").getByText("No tasks").waitFor();
    await setup().createTask("Made in between");
    expect(await page.locator("[data-connection=live]").count()).toBe(0);
    connect();
    await inColumn(page, "NEW", "Made in between").waitFor();
  });

  test("an action without input runs at once, for the version that is shown", async () => {
    const { server, tokens } = setup();
    const ask = async (what: string, token: string, body: object) => {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const reply = await server.ask(what, { token, headers, body });
      if (reply.status >= 300) throw new Error(reply.text);
      return reply.body;
    };
    const created = await ask("POST /api/planner/tasks", tokens.lea, { title: "Weld by hand" });
    const payload = { assign_to: "tom" };
    await ask(`POST /api/planner/tasks/${String(created.id)}/transitions`, tokens.lea, {
      action: "assign",
      expected_row_version: 1,
      payload,
    });
    const page = await setup().openPage("tom", "/lifecycles/planner/board");
    await dragOver(page, "Weld by hand", "in_progress");
    await page.mouse.up();
    await inColumn(page, "in_progress", "Weld by hand").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a card can be moved with the keyboard alone, by M", async () => {
    await setup().createTask("Moved by keys");
    const page = await setup().openPage("bob", `${BOARD}?q=Moved+by+keys`);
    const card = page.getByRole("article", { name: "Moved by keys" });
    await card.focus();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("No action leads from New to Blocked.").waitFor();
    await dialog.getByRole("button", { name: /In progress/ }).press("Enter");
    await page.getByRole("dialog").getByLabel("Comment").fill("by keys");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Claim" }).press("Enter");
    await inColumn(page, "IN_PROGRESS", "Moved by keys").waitFor();
  });

  test("filters are kept in the address and survive a reload", async () => {
    await setup().createTask("A needle in the hay");
    const page = await setup().openPage("bob", BOARD);
    await page.getByLabel("Search titles").fill("needle");
    await page.waitForURL(/q=needle/);
    await page.getByText("A needle in the hay").waitFor();
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    await page.reload();
    await page.getByText("A needle in the hay").waitFor();
    expect(await page.getByLabel("Search titles").inputValue()).toBe("needle");
  });

  test("a task is created through the dialog, and errors from the server are shown at the field", async () => {
    const page = await setup().openPage("ann", BOARD);
    await page.getByRole("button", { name: "New task" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("Hm");
    await dialog.getByLabel("Description").fill("Short title");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.locator(".field", { hasText: "Title" }).locator(".field-error").waitFor();
    await dialog.getByLabel("Title").fill("Long enough now");
    await dialog.getByRole("button", { name: "Create" }).click();
    await inColumn(page, "NEW", "Long enough now").waitFor();
  });

  test("if two members move a card at once, the second sees the refusal and the new state", async () => {
    const id = await setup().createTask("Wanted by two");
    const page = await setup().openPage("bob", `${BOARD}?q=Wanted`);
    await dragOver(page, "Wanted by two", "IN_PROGRESS");
    await page.mouse.up();
    await page.getByRole("dialog").getByLabel("Comment").fill("mine");
    await setup().move("ann", id, "claim");
    await page.getByRole("button", { name: "Claim" }).click();
    await page.getByText("ann was first: pick another task.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await inColumn(page, "IN_PROGRESS", "Wanted by two").getByText("Ann Baker").waitFor();
  });
});
