import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

/** Compares, in every frame, the number of each column with its cards; keeps the differences. */
const WATCH_COUNTS = `
  window.differences = [];
  window.frames = 0;
  const compare = () => {
    window.frames += 1;
    for (const column of document.querySelectorAll("[data-column]")) {
      const shown = column.querySelector(".badge").textContent;
      const cards = column.querySelectorAll("[data-card]").length;
      if (shown !== "…" && Number(shown) !== cards) window.differences.push(column.dataset.column + ": " + shown + ", " + cards);
    }
    requestAnimationFrame(compare);
  };
  compare();`;

withConsole("the numbers of the board's columns", (setup) => {
  test("are those of the cards at every moment, while tasks move", async () => {
    const ids = await Promise.all(
      ["Task one", "Task two", "Task three"].map((title) => setup().createTask(title)),
    );
    const page = await setup().openPage("bob", "/lifecycles/board/board");
    await page.locator("[data-connection=live]").waitFor();
    const column = (name: string) => page.locator(`[data-column=${name}]`);
    await expect.poll(() => column("NEW").locator("[data-card]").count()).toBe(3);
    await page.evaluate(WATCH_COUNTS);
    for (const [at, id] of ids.entries()) {
      await setup().move("ann", id, "claim");
      await expect.poll(() => column("IN_PROGRESS").locator("[data-card]").count()).toBe(1);
      await setup().move("ann", id, "complete");
      await expect.poll(() => column("NEW").locator("[data-card]").count()).toBe(2 - at);
      await expect.poll(() => column("IN_PROGRESS").locator("[data-card]").count()).toBe(0);
    }
    expect(await page.evaluate("window.frames")).toBeGreaterThan(10);
    expect(await page.evaluate("window.differences")).toEqual([]);
  });

  test("leave out a new task without the label that the board is filtered by", async () => {
    await setup().createTask("Labeled before", { labels: ["paint"] });
    const page = await setup().openPage("bob", "/lifecycles/board/board?label=paint");
    await page.locator("[data-connection=live]").waitFor();
    await page.getByRole("article", { name: "Labeled before" }).waitFor();
    const replies: string[] = [];
    page.on("response", (reply) => replies.push(reply.url()));
    const other = await setup().createTask("Not labeled");
    await expect.poll(() => replies.some((url) => url.includes(other))).toBe(true);
    await setup().createTask("Labeled after", { labels: ["paint"] });
    await page.getByRole("article", { name: "Labeled after" }).waitFor();
    expect(await page.getByRole("article", { name: "Not labeled" }).count()).toBe(0);
    expect(await page.locator("[data-column=NEW] .badge").innerText()).toBe("2");
  });

  test("work under a lease shows its holder on the board and in the table", async () => {
    const { server, tokens } = setup();
    const send = async (what: string, token: string, body: object) => {
      const reply = await server.ask(what, {
        token,
        body,
        headers: { "idempotency-key": crypto.randomUUID() },
      });
      expect(reply.status, reply.text).toBeLessThan(300);
    };
    await send("POST /api/code/tasks", tokens.admin, { title: "Add a retry", description: "To the sender" });
    await send("POST /api/code/claims", tokens.ann, {});
    const page = await setup().openPage("bob", "/lifecycles/code/board");
    const card = page.getByRole("article", { name: "Add a retry" });
    await card.getByText("Ann Baker").waitFor();
    expect(await card.getByText("unassigned").count()).toBe(0);
    await page.goto(`${server.url}/lifecycles/code/table`);
    await page
      .getByRole("row", { name: /Add a retry/ })
      .getByText("Ann Baker")
      .waitFor();
  });
});
