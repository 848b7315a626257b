import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

withConsole("an open dialog", (setup) => {
  /** Makes a planner task that waits for review and returns its id. */
  const submittedTask = async (title: string): Promise<string> => {
    const { server, tokens } = setup();
    const ask = async (what: string, token: string, body: object) => {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const reply = await server.ask(what, { token, headers, body });
      if (reply.status >= 300) throw new Error(reply.text);
      return reply.body;
    };
    const created = await ask("POST /api/planner/tasks", tokens.lea, { title });
    const steps = [
      ["lea", "assign", { payload: { assign_to: "tom" } }],
      ["tom", "start", {}],
      ["tom", "submit", {}],
    ] as const;
    for (const [index, [who, action, more]] of steps.entries())
      await ask(`POST /api/planner/tasks/${String(created.id)}/transitions`, tokens[who], {
        action,
        expected_row_version: index + 1,
        ...more,
      });
    return String(created.id);
  };

  test("stays with its text when its row leaves the list, and shows what changed", async () => {
    const id = await submittedTask("Weld the frame");
    const page = await setup().openPage("lea", "/lifecycles/planner/review");
    const row = page.locator(`[data-task="${id}"]`);
    await row.getByRole("button", { name: "Reject…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("The seam is uneven");
    const approved = await setup().server.ask(`POST /api/planner/tasks/${id}/transitions`, {
      token: setup().tokens.lea,
      headers: { "idempotency-key": crypto.randomUUID() },
      body: { action: "review_approve", expected_row_version: 4 },
    });
    expect(approved.status, approved.text).toBe(200);
    await row.waitFor({ state: "detached" });
    await dialog.getByText("This task has changed since you opened this form.").waitFor();
    await dialog.getByText(/Lea Marsh/).waitFor();
    expect(await dialog.getByRole("textbox").first().inputValue()).toBe("The seam is uneven");
  });

  test("stays when none of the task's actions is left", async () => {
    const id = await setup().createTask("Wanted by several");
    const page = await setup().openPage("bob", `/tasks/${id}`);
    await page.getByRole("button", { name: "Claim" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("I know this part");
    await setup().move("ann", id, "claim");
    await setup().move("ann", id, "complete");
    await dialog.getByText("This task has changed since you opened this form.").waitFor();
    await dialog.getByText(/Done/).first().waitFor();
    expect(await dialog.getByLabel("Comment").inputValue()).toBe("I know this part");
    await dialog.getByRole("button", { name: "Claim" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByLabel("Comment").inputValue()).toBe("I know this part");
  });

  test("for several tasks stays when the tasks leave the list", async () => {
    const id = await setup().createTask("Chosen in the table");
    const page = await setup().openPage("bob", "/lifecycles/board/table?status=NEW&q=Chosen");
    await page.getByLabel("Select “Chosen in the table”").check();
    await page.getByLabel("Choose an action").selectOption("comment");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("Please look at this");
    await setup().move("ann", id, "claim");
    await page.getByRole("row", { name: /Chosen in the table/ }).waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Comment").inputValue()).toBe("Please look at this");
  });

  test("returns the focus to its button when Escape closes it", async () => {
    const id = await setup().createTask("Opened and closed");
    const page = await setup().openPage("bob", `/tasks/${id}`);
    await page.getByRole("button", { name: "Claim" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.locator("button:focus").innerText()).toBe("Claim");
  });

  test("keeps what was typed when it is closed by mistake", async () => {
    const id = await setup().createTask("Closed by mistake");
    const page = await setup().openPage("bob", `/tasks/${id}`);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Claim" }).click();
    await dialog.getByLabel("Comment").fill("A long explanation");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Claim" }).click();
    expect(await dialog.getByLabel("Comment").inputValue()).toBe("A long explanation");
    await dialog.getByRole("button", { name: "Start over" }).click();
    expect(await dialog.getByLabel("Comment").inputValue()).toBe("");
  });

  test("to cancel a task has one button that cancels, and one that keeps the task", async () => {
    const id = await setup().createTask("Not needed any more");
    await setup().move("ann", id, "claim");
    const page = await setup().openPage("ann", `/tasks/${id}`);
    await page.getByRole("button", { name: "Cancel task" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("A canceled task is final").waitFor();
    expect(await dialog.getByRole("button", { name: /cancel/i }).allInnerTexts()).toEqual(["Cancel task"]);
    await dialog.getByRole("button", { name: "Keep" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Cancel task" }).click();
    await dialog.getByLabel("Comment").fill("Done elsewhere");
    await dialog.getByRole("button", { name: "Cancel task" }).click();
    await page.getByText("“Not needed any more” is canceled.").waitFor();
  });
});
