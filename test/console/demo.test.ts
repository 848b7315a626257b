import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

// This server does not play the demo, so its state is `stopped` as soon as it exists.
withConsole("the demo", (setup) => {
  test("an empty overview offers the demo, and its bar returns to the main org without a token", async () => {
    const page = await setup().openPage("admin", "/");
    await page.getByRole("button", { name: "Start the demo" }).click();
    const bar = page.locator(".demo-bar");
    await bar.getByText("The demo is stopped: ").waitFor();
    expect((await setup().server.ask("GET /api/demo")).body).toMatchObject({ state: "stopped" });
    await bar.getByRole("button", { name: "Back to your org" }).click();
    await page.getByText("The demo is stopped.").waitFor();
    expect(await page.locator(".demo-bar").count()).toBe(0);
  });

  test("one click inside the demo removes it and returns the admin to the main org", async () => {
    const page = await setup().openPage("admin", "/");
    await page.getByRole("button", { name: "Continue the demo" }).click();
    await page.locator(".demo-bar").getByRole("button", { name: "Remove the demo" }).click();
    await page.getByRole("button", { name: "Start the demo" }).waitFor();
    expect((await setup().server.ask("GET /api/demo")).body).toMatchObject({ state: "absent" });
  });

  test("only admins are offered the demo", async () => {
    const page = await setup().openPage("eve", "/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.locator("[data-connection=live]").waitFor();
    expect(await page.locator(".demo-card").count()).toBe(0);
  });
});
