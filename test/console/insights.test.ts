import { expect, test } from "vitest";
import { seriousFindings } from "./serious-findings.ts";
import { withConsole } from "./console-setup.ts";

/** Folder for pictures of the screen, if they are wanted. */
const PICTURES = process.env.PAWL_PICTURES;

withConsole("insights", (setup) => {
  test("the screen shows the figures, its address has all choices, and a row leads to its project or person", async () => {
    const { server, createTask, move, openPage } = setup();
    for (let n = 0; n < 3; n++) {
      const id = await createTask(`Paint door ${n}`);
      await move("ann", id, "claim");
      if (n > 0) await move("ann", id, "complete");
    }
    await createTask("<b>Not a tag</b>");
    const page = await openPage("eve", "/");
    await page.getByRole("link", { name: "Insights" }).click();
    await page.getByText("are being counted").waitFor();
    await server.engine.past.rollUp();
    await page.reload();

    const throughput = page.getByRole("region", { name: "Throughput" });
    await throughput.getByText("4 created").waitFor();
    await throughput.getByText("2 finished").waitFor();
    const flow = page.getByRole("region", { name: "Cumulative flow" });
    await flow.getByText("2 finished since the start").waitFor();
    const stays = page.getByRole("region", { name: "Time in status" });
    expect(await stays.locator("tbody tr").count()).toBe(3);
    await page
      .getByRole("region", { name: "Ageing of open tasks" })
      .getByRole("link", { name: "<b>Not a tag</b>" })
      .waitFor();

    await page
      .getByRole("button", { name: "Year" })
      .or(page.getByRole("radio", { name: "Year" }))
      .click();
    await page
      .getByRole("region", { name: "By person" })
      .getByRole("button", { name: "Ann Baker" })
      .press("Enter");
    await page.getByText("The flow is shown for all people together.").waitFor();
    await throughput.getByText("2 finished").waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("window"), searchParams.get("member")]).toEqual(["year", "ann"]);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("Person", { exact: true }).selectOption("");
    await flow.getByText("2 finished since the start").waitFor();
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/insights.png`, fullPage: true });

    const phone = await openPage("eve", "/insights?lifecycle=board&window=day", {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
      locale: "ru",
    });
    await phone.getByRole("region", { name: "Время в статусе" }).locator("tbody tr").first().waitFor();
    expect(await phone.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(await seriousFindings(phone)).toEqual([]);
    if (PICTURES) await phone.screenshot({ path: `${PICTURES}/insights-phone.png`, fullPage: true });
  });
});
