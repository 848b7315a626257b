import { expect, test } from "vitest";
import { seriousFindings } from "../serious-findings.ts";
import { withConsole } from "../console-setup.ts";

withConsole("the screen of chats", (setup) => {
  const ask = async (what: string, token: string, body: object) => {
    const reply = await setup().server.ask(what, { token, body });
    if (reply.status >= 300) throw new Error(`${what}: ${reply.text}`);
  };

  test("a chat shows messages and running bot actions live", async () => {
    const { bob } = setup().tokens;
    const page = await setup().openPage("ann", "/lifecycles/bot-actions/chat?chat=support");
    await page.getByText("No messages yet").waitFor();
    await page.getByLabel("Write a message…").fill("Please sum this up");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("Please sum this up").waitFor();
    await ask("POST /api/chats/support/messages", bob, { text: "<b>On it</b>" });
    await page.getByRole("log").getByText("<b>On it</b>").waitFor();
    await page.getByRole("log").getByText("Bob Stone").waitFor();
    const action = { workspaceId: "main", chatId: "support", actionId: "a1" };
    await ask("POST /api/chat/actions/start", bob, { ...action, actionType: "summarize" });
    const line = page.locator(".bot-line");
    await line.getByText("Summarizing…").waitFor();
    const listed = page.getByRole("region", { name: "Chats" }).getByRole("button", { name: "support" });
    await listed.getByText("1 action").waitFor();
    await listed.getByText("Summarizing…").waitFor();
    await page.reload();
    await line.getByText("Summarizing…").waitFor();
    await ask("POST /api/chat/actions/update", bob, { ...action, status: "done" });
    await expect.poll(() => line.innerText()).toBe("");
    await listed.getByText("Summarizing…").waitFor({ state: "detached" });
  });

  test("an admin restricts a chat in the console, and the chat disappears for other members", async () => {
    const { ann } = setup().tokens;
    await ask("POST /api/chats/board-room/messages", ann, { text: "For few eyes" });
    const path = "/lifecycles/bot-actions/chat?chat=board-room";
    const admin = await setup().openPage("admin", path);
    const card = admin.getByRole("region", { name: "Readers of this chat" });
    await card.getByText("Every member of the project", { exact: true }).waitFor();
    const readers = card.getByRole("combobox", { name: "Members" });
    await readers.fill("ann, nobody");
    await readers.press("Tab");
    await card.getByText("Choose one of the listed entries.").waitFor();
    await readers.fill("admin");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Ann Baker").waitFor();
    const chats = (page: typeof admin) => page.getByRole("region", { name: "Chats" });
    await chats(admin).getByTitle("Restricted").waitFor();
    expect(await seriousFindings(admin)).toEqual([]);

    const bob = await setup().openPage("bob", path);
    await bob
      .getByText(/no chat "board-room" that you can read/)
      .first()
      .waitFor();
    await chats(bob).waitFor();
    expect(await bob.getByText("For few eyes").count()).toBe(0);
    expect(await chats(bob).getByText("board-room").count()).toBe(0);
    expect(await bob.getByRole("region", { name: "Readers of this chat" }).count()).toBe(0);

    const reader = await setup().openPage("ann", path);
    await reader.getByText("For few eyes").waitFor();
    expect(await reader.getByRole("button", { name: "Save" }).count()).toBe(0);
    for (let tags = 2; tags > 0; tags--)
      await card
        .getByRole("button", { name: /^Remove / })
        .first()
        .click();
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Every member of the project", { exact: true }).waitFor();
    await bob.reload();
    await bob.getByText("For few eyes").waitFor();
  });
});
