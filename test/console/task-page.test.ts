import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";
import { seriousFindings } from "./serious-findings.ts";

withConsole("the page of a task", (setup) => {
  const url = (path: string) => setup().server.url + path;

  test("values that the rules allow to change are edited where they are", async () => {
    const id = await setup().createTask("Titel with a mistake");
    const page = await setup().openPage("ann", `/tasks/${id}`);
    await page.getByRole("button", { name: "Edit: Title" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Titel with a mistake");
    await page.getByLabel("Title").fill("T");
    await page.keyboard.press("Enter");
    await page.getByText("Enter at least 5 characters.").waitFor();
    await page.getByText("This field is required.").waitFor();
    await page.locator(".in-place-form").getByLabel("Comment").fill("misspelled");
    await page.getByLabel("Title").fill("Title without a mistake");
    // A change of another field meanwhile is kept, and does not get in the way.
    await setup().move("ann", id, "edit", { payload: { priority: "high" } });
    await page.locator(".timeline").getByText("Edit", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Title without a mistake" }).waitFor();
    const { body } = await setup().server.ask(`GET /api/tasks/${id}`);
    expect(body).toMatchObject({ title: "Title without a mistake", data: { description: "So" } });
    expect(
      (await setup().server.ask(`GET /api/board/tasks/${id}`, { token: setup().tokens.ann })).body,
    ).toMatchObject({ task: { priority: "high" } });
    // Escape hides the form and keeps what was typed; Cancel drops it.
    await page.getByRole("button", { name: "Edit: Description" }).click();
    await page.getByLabel("Description").fill("Not finished yet");
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit: Description" }).click();
    expect(await page.getByLabel("Description").inputValue()).toBe("Not finished yet");
    // The same field changed meanwhile: refused, and the text stays.
    await setup().move("ann", id, "edit", { payload: { description: "Changed by another" } });
    await page.locator(".in-place-form").getByLabel("Comment").fill("for clarity");
    await page.locator(".timeline").getByText("Changed by another").waitFor();
    await page.locator(".in-place-form").getByRole("button", { name: "Save" }).click();
    await page.locator(".in-place-form .note[data-tone=bad]").waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("Not finished yet");
    await page.locator(".in-place-form").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Changed by another").first().waitFor();
  });

  test("members without the right to edit see no pencils", async () => {
    const id = await setup().createTask("Only to be read");
    const page = await setup().openPage("eve", `/tasks/${id}`);
    await page.getByText("You cannot do anything with this task now.").waitFor();
    expect(await page.getByRole("button", { name: /^Edit:/ }).count()).toBe(0);
  });

  test("leads to the previous and next task of the list that it was opened from", async () => {
    for (const title of ["Row number one", "Row number two", "Row number three"])
      await setup().createTask(title);
    const page = await setup().openPage("bob", "/lifecycles/board/table?q=Row+number&order=asc");
    await page.getByRole("link", { name: "Row number two" }).click();
    await page.getByText("2 of 3").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Row number three" }).waitFor();
    expect(await page.getByRole("button", { name: "Next task of the list" }).isDisabled()).toBe(true);
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Row number two" }).waitFor();
    await page.getByRole("button", { name: "Previous task of the list" }).click();
    await page.getByRole("heading", { name: "Row number one" }).waitFor();
    await page.getByRole("link", { name: "1 of 3" }).click();
    await page.waitForURL(/table\?q=Row\+number&order=asc/);
    // From a board, the list is the column.
    await page.goto(url("/lifecycles/board/board?q=Row+number"));
    await page.getByRole("link", { name: "Row number one" }).click();
    await page.getByText("1 of 3").waitFor();
    // Opened by its address, a task is in no list.
    await page.reload();
    await page.getByRole("heading", { name: "Row number one" }).waitFor();
    expect(await page.getByText("1 of 3").count()).toBe(0);
  });

  test("its link is copied", async () => {
    const id = await setup().createTask("Shared by link");
    const page = await setup().openPage("bob", `/tasks/${id}`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("The link is copied.").waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(url(`/tasks/${id}`));
  });

  test("the journal folds entries that repeat, and shows them on demand", async () => {
    const id = await setup().createTask("Claimed again and again");
    for (let turn = 0; turn < 4; turn++)
      for (const action of ["claim", "release"]) await setup().move("ann", id, action);
    await setup().move("ann", id, "comment", { comment: "Something else" });
    const page = await setup().openPage("bob", `/tasks/${id}`);
    await page.locator(".timeline").getByText("Something else").waitFor();
    const entries = page.locator(".timeline > li[data-moved]");
    await expect.poll(() => entries.count()).toBe(4);
    await page.getByRole("button", { name: "Show 6 more like this" }).click();
    await expect.poll(() => entries.count()).toBe(10);
    await page.getByRole("button", { name: "Fold repeats" }).click();
    await expect.poll(() => entries.count()).toBe(4);
  });
});

withConsole("the palette", (setup) => {
  test("offers the actions of the task on the page, and starts them as its buttons do", async () => {
    const id = await setup().createTask("Acted upon by keys");
    const page = await setup().openPage("ann", `/tasks/${id}`);
    await page.getByRole("button", { name: "Claim" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByText("This task", { exact: true }).waitFor();
    await page.getByRole("combobox").fill("claim");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("mine");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await page.locator(".page-head").getByText("In progress").waitFor();
  });

  test("lists the tasks that were opened last, members, and saved views", async () => {
    const [first, second] = [
      await setup().createTask("Opened at first"),
      await setup().createTask("Opened then"),
    ];
    await setup().move("bob", first, "claim");
    const page = await setup().openPage("ann", `/tasks/${first}`);
    for (const [id, title] of [
      [second, "Opened then"],
      [first, "Opened at first"],
    ] as const) {
      await page.goto(`${setup().server.url}/tasks/${id}`);
      await page.getByRole("heading", { name: title }).waitFor();
    }
    await page.goto(`${setup().server.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByText("Recently opened").waitFor();
    const options = page.getByRole("option");
    expect((await options.allInnerTexts()).slice(0, 2).map((text) => text.split("\n")[0])).toEqual([
      "Opened at first",
      "Opened then",
    ]);
    await page.getByRole("combobox").fill("bob st");
    await page.getByRole("option", { name: "Tasks of Bob Stone" }).click();
    await page.waitForURL(/tasks\?owner=bob/);
    await page.getByRole("link", { name: "Opened at first" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("Name of the view").fill("What Bob does");
    await page.keyboard.press("Enter");
    await page.keyboard.press("g");
    await page.goto(`${setup().server.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("what bob");
    await page.keyboard.press("Enter");
    await page.waitForURL(/tasks\?owner=bob/);
  });

  test("a question mark lists the shortcuts, except in a field", async () => {
    const page = await setup().openPage("ann", "/lifecycles/board/table");
    await page.getByLabel("Search titles").fill("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("heading", { name: "board" }).click();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByText("Previous and next task of the list").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
});
