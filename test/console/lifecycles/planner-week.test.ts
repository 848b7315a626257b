import { expect, test } from "vitest";
import { withConsole } from "../console-setup.ts";

const WEEK = "/lifecycles/planner/week";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

withConsole("the planner's week", (setup) => {
  const ask = async (what: string, token: string, body?: object) => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const reply = await setup().server.ask(what, { token, headers, ...(body ? { body } : {}) });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body;
  };
  const plan = (members: string[], hours = [1, 2]) => {
    const at = (hour: number) => new Date(Date.now() + hour * 3_600_000).toISOString();
    return ask("POST /api/planner/shifts", setup().tokens.lea, {
      starts_at: at(hours[0]!),
      ends_at: at(hours[1]!),
      members,
    });
  };

  test("a lead edits, extends and cancels a shift", async () => {
    const { id } = await plan(["tom"], [-1, 1]);
    const page = await setup().openPage("lea", WEEK);
    const shift = page.locator(`[data-shift="${String(id)}"]`);
    await shift.getByText("Tom Becker").waitFor();
    expect(await shift.getByRole("button", { name: "Cancel shift…" }).count(), "it is running").toBe(0);
    await shift.getByRole("button", { name: "Extend…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("The shift is extended.").waitFor();
    await ask(`POST /api/planner/shifts/${String(id)}/end`, setup().tokens.lea, {});

    const { id: coming } = await plan(["tom"], [0.01, 1]);
    const next = page.locator(`[data-shift="${String(coming)}"]`);
    await next.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("dialog").getByLabel("Tom Becker").uncheck();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByText("This field is required.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await ask(`POST /api/planner/shifts/${String(coming)}/cancel`, setup().tokens.lea, {
      reason: "No steel",
    });
    await next.getByText("Canceled: No steel").waitFor();
  });

  test("a change of members alone keeps the times of a shift, also their seconds", async () => {
    const { id, starts_at, ends_at } = await plan(["tom"], [1.00125, 2.00125]);
    const page = await setup().openPage("lea", WEEK);
    await page
      .locator(`[data-shift="${String(id)}"]`)
      .getByRole("button", { name: "Edit…" })
      .click();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    expect((await sent).postDataJSON()).not.toHaveProperty("starts_at");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const after = await ask(`GET /api/planner/shifts/${String(id)}`, setup().tokens.lea);
    expect(after).toMatchObject({ starts_at, ends_at, row_version: 2 });
    await ask(`POST /api/planner/shifts/${String(id)}/cancel`, setup().tokens.lea, { reason: "So" });
  });

  test("days of the statistics begin at midnight, also before a change of the clocks", async () => {
    const page = await setup().openPage("lea", "/settings", { timezoneId: "Europe/Berlin" });
    await page.clock.setFixedTime("2026-04-10T10:00:00Z");
    const asked = page.waitForRequest((request) => request.url().includes("/api/planner/stats"));
    await page.goto(`${setup().server.url}/lifecycles/planner/stats`);
    const { searchParams } = new URL((await asked).url());
    // 14 March in winter time to 10 April in summer time.
    expect(searchParams.get("from")).toBe("2026-03-13T23:00:00.000Z");
    expect(searchParams.get("to")).toBe("2026-04-10T22:00:00.000Z");
    expect(searchParams.get("time_zone")).toBe("Europe/Berlin");
    const bars = page.locator(".day-bars > span");
    await bars.first().waitFor();
    const titles = await bars.evaluateAll((all: { title: string }[]) =>
      all.map(({ title }) => title.split(":")[0]),
    );
    expect(titles.slice(14, 18)).toEqual(["Mar 28", "Mar 29", "Mar 30", "Mar 31"]);
    expect(titles).toHaveLength(28);
  });

  test("a lead repeats a shift, and ends the pattern", async () => {
    const page = await setup().openPage("lea", WEEK);
    await page.getByRole("button", { name: "Repeat a shift" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Early");
    await dialog.getByLabel("Begins").fill("6 o'clock");
    await dialog.getByLabel("Tom Becker").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByText(/must be a time such as 06:30/)
      .first()
      .waitFor();
    await dialog.getByLabel("Begins").fill("06:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    const patterns = page.getByRole("region", { name: "Repeating shifts" });
    await patterns.getByText("Early").waitFor();
    await page.getByRole("button", { name: "Next week" }).click();
    await expect.poll(() => page.locator(".shift-card", { hasText: "repeats" }).count()).toBe(5);
    await patterns.getByRole("button", { name: "End" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
    await patterns.waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".shift-card", { hasText: "repeats" }).count()).toBe(0);
  });

  test.each(["light", "dark"] as const)(
    "an executor sees only own shifts on a phone (%s)",
    async (colorScheme) => {
      await setup().server.member({ id: `uma-${colorScheme}`, name: "Uma Holt", roles: ["executor"] });
      const mine = await plan(["tom"], [-1, 1]);
      const other = await plan([`uma-${colorScheme}`], [-1, 1]);
      const page = await setup().openPage("tom", WEEK, { ...PHONE, colorScheme });
      await page.locator(`[data-shift="${String(mine.id)}"]`).waitFor();
      expect(await page.locator(`[data-shift="${String(other.id)}"]`).count()).toBe(0);
      expect(await page.getByRole("button", { name: "Edit…" }).count()).toBe(0);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow, "nothing is wider than the phone").toBe(0);
      const folder = process.env.PAWL_SCREENSHOTS;
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/week-${colorScheme}.png`, fullPage: true });
    },
  );
});
