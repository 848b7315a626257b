import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

withConsole("a form", (setup) => {
  const send = async (what: string, token: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const reply = await setup().server.ask(what, { token, headers, body });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body;
  };

  /** Submits the dialog and returns the request. */
  const submit = async (page: Page, button: string): Promise<Record<string, unknown>> => {
    const sent = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().includes("/api/tasks"),
    );
    await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
    return (await sent).postDataJSON() as Record<string, unknown>;
  };

  /** Types into a picker and chooses the first entry with that text. */
  const choose = async (page: Page, label: string, text: string, entry = text): Promise<void> => {
    const field = page.getByRole("dialog").getByRole("combobox", { name: label });
    await field.click();
    await field.fill(text);
    await page.getByRole("option", { name: entry }).first().click();
  };

  test("chooses members, tasks, deliverables and projects by their names", async () => {
    const { tokens } = setup();
    const deliverable = await send("POST /api/planner/deliverables", tokens.lea, {
      type: "Door",
      serial: "D-71",
    });
    const first = await send("POST /api/planner/tasks", tokens.lea, { title: "Cut the sheets" });
    const page = await setup().openPage("lea", "/lifecycles/planner/board?new=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("Weld the door");
    await choose(page, "Deliverable", "d-71", "Door · D-71");
    await dialog.getByText("More fields").click();
    await choose(page, "Depends on", "cut the", "Cut the sheets");
    await dialog.getByText("Cut the sheets").waitFor();
    const created = await submit(page, "Create");
    expect(created).toMatchObject({ deliverable_id: deliverable.id, depends_on: [first.id] });
    await page.getByText("“Weld the door” was created.").waitFor();

    const free = await send("POST /api/planner/tasks", tokens.lea, { title: "Paint the wall" });
    await page.goto(`${setup().server.url}/tasks/${String(free.id)}`);
    await page.getByRole("button", { name: "Assign", exact: true }).click();
    await choose(page, "Assign to", "beck", "Tom Becker");
    expect(await dialog.getByLabel("Assign to").inputValue()).toBe("Tom Becker");
    expect(await submit(page, "Assign")).toMatchObject({ payload: { assign_to: "tom" } });
  });

  test("is operated by keys alone, and Escape closes the list before the dialog", async () => {
    const id = await setup().createTask("Waits for another");
    await setup().createTask("Comes before the other");
    const page = await setup().openPage("ann", "/lifecycles/board/board?new=1");
    await page.getByRole("dialog").getByText("More fields").click();
    const field = page.getByRole("dialog").getByRole("combobox", { name: "Blocked by" });
    await field.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("listbox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("waits for");
    await page.getByRole("option", { name: "Waits for another" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Waits for another").waitFor();
    await page.keyboard.type(`${id}, nonsense`);
    await page.keyboard.press("Tab");
    await page.getByRole("dialog").getByText("Choose one of the listed entries.").waitFor();
  });

  test("for a delivery chooses the user and the file, and fills in chat and nonce", async () => {
    const { admin } = setup().tokens;
    await send("POST /api/delivery/users", admin, { id: "77001", name: "Olga Petrova", chat_id: "88002" });
    await send("POST /api/delivery/users/77001/approve", admin, {});
    const folder = { kind: "folder", path: "/Manuals", name: "Manuals" };
    await send("POST /api/delivery/files", admin, { folder: null, scan: "s", last: true, entries: [folder] });
    const file = { kind: "file", path: "/Manuals/manual.pdf", name: "manual.pdf", size: 10 };
    const inFolder = { folder: "/Manuals", scan: "s", last: true, entries: [file] };
    await send("POST /api/delivery/files", admin, inFolder);
    const page = await setup().openPage("admin", "/lifecycles/delivery/board?new=1");
    const dialog = page.getByRole("dialog");
    await choose(page, "User", "olga", "Olga Petrova");
    await choose(page, "File", "manual", "manual.pdf");
    expect(await dialog.getByLabel(/Chat|nonce/).count()).toBe(0);
    expect(await dialog.getByRole("combobox", { name: "File" }).inputValue()).toBe("manual.pdf");
    const sent = await submit(page, "Create");
    expect(sent).toMatchObject({
      user_id: "77001",
      chat_id: "88002",
      title: "manual.pdf",
      request_nonce: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    });
  });

  test("for a chat action offers the chats, generates the action's id, and asks for the project once", async () => {
    await send("POST /api/chats/kitchen/messages", setup().tokens.ann, { text: "Hello" });
    const page = await setup().openPage("ann", "/lifecycles/bot-actions/board?new=1");
    const dialog = page.getByRole("dialog");
    await choose(page, "Chat", "kit", "kitchen");
    await dialog.getByLabel("Action type").fill("search");
    expect(await dialog.getByLabel(/Action id|Workspace/i).count()).toBe(0);
    expect(await submit(page, "Create")).toMatchObject({
      chatId: "kitchen",
      actionId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    });
    await page.getByText("was created.").waitFor();
  });

  test("requires what the rules require, and shows errors beside their fields", async () => {
    const page = await setup().openPage("lea", "/lifecycles/planner/board?new=1");
    const dialog = page.getByRole("dialog");
    const title = dialog.locator(".field", { has: page.getByLabel("Title") });
    expect(await title.getByText("optional").count()).toBe(0);
    await dialog.getByRole("button", { name: "Create" }).click();
    await title.getByText("This field is required.").waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe(
      await dialog.getByLabel("Title").getAttribute("id"),
    );
    const agent = await setup().openPage("ann", "/lifecycles/board/board?new=1");
    await agent.getByRole("dialog").getByLabel("Title").fill("Hm");
    await agent.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await agent.getByText("Enter at least 5 characters.").waitFor();
  });

  test("for a task that the member's roles cannot create shows why, and what to do", async () => {
    const page = await setup().openPage("admin", "/lifecycles/planner/board");
    const { server, tokens } = setup();
    await server.ask("PATCH /api/members/admin", { token: tokens.admin, body: { roles: ["admin"] } });
    await page.reload();
    await page.getByRole("button", { name: "New task" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/needs one of these roles: .*lead/).waitFor();
    await dialog.getByText(/Your roles: admin/).waitFor();
    await dialog.getByRole("button", { name: "Edit my roles" }).click();
    await dialog.getByRole("combobox", { name: "Roles" }).fill("lead");
    await page.getByRole("option", { name: "lead", exact: true }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.goto(`${server.url}/lifecycles/planner/board?new=1`);
    await dialog.getByLabel("Title").waitFor();
  });

  test("for a member or a project is not sent empty", async () => {
    const page = await setup().openPage("admin", "/members");
    const members = async () => (await setup().server.ask("GET /api/members?limit=200")).body.members;
    const before = await members();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a member" }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("This field is required.").waitFor();
    expect(await members()).toEqual(before);
    await page.goto(`${setup().server.url}/settings`);
    await page.getByRole("button", { name: "New project" }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("This field is required.").waitFor();
  });

  test("for a member warns about roles that no lifecycle names", async () => {
    const page = await setup().openPage("admin", "/members");
    await page.getByRole("button", { name: "Add a member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Roles" }).fill("agent, leed");
    await page.keyboard.press("Tab");
    await dialog.getByText("No lifecycle names the role leed").waitFor();
  });

  test("for tokens shows nothing that looks like a part of a token", async () => {
    const page = await setup().openPage("admin", "/members");
    await page.getByRole("button", { name: "Tokens of Eve Watcher" }).click();
    const item = page.locator(".token-list li").first();
    await item.getByText(/^created/).waitFor();
    expect(await item.innerText()).not.toMatch(/…[\da-f]{6}/);
  });
});
