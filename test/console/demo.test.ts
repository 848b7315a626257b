import { expect, test } from "vitest";
import { onStage } from "./stage.ts";

// On this server nobody in the demo acts, so that it rests from the start.
onStage("the demo", (stage) => {
  test("an empty overview invites to it, and it leads home again without a token", async () => {
    const page = await stage().visit("admin", "/");
    await page.getByRole("button", { name: "Start the demo" }).click();
    const bar = page.locator(".demo-bar");
    await bar.getByText("The demo rests").waitFor();
    expect((await stage().desk.ask("GET /api/demo")).body).toMatchObject({ state: "stopped" });
    await bar.getByRole("button", { name: "Back to your org" }).click();
    await page.getByText("There is a demo here that rests.").waitFor();
    expect(await page.locator(".demo-bar").count()).toBe(0);
  });

  test("it is removed in one click from the inside, and the admin is at home", async () => {
    const page = await stage().visit("admin", "/");
    await page.getByRole("button", { name: "Let it go on" }).click();
    await page.locator(".demo-bar").getByRole("button", { name: "Remove the demo" }).click();
    await page.getByRole("button", { name: "Start the demo" }).waitFor();
    expect((await stage().desk.ask("GET /api/demo")).body).toMatchObject({ state: "absent" });
  });

  test("nobody but an admin is told of it", async () => {
    const page = await stage().visit("eve", "/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.locator("[data-connection=live]").waitFor();
    expect(await page.locator(".demo-card").count()).toBe(0);
  });
});
