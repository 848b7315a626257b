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

  test("on a phone the bar of the demo takes one line, with its other buttons in a menu", async () => {
    const page = await setup().openPage("admin", "/", { viewport: { width: 390, height: 800 } });
    await page.getByRole("button", { name: "Continue the demo" }).click();
    const bar = page.locator(".demo-bar");
    await bar.getByRole("button", { name: "More about the demo" }).click();
    await bar.getByRole("button", { name: "Remove the demo" }).last().waitFor();
    expect((await bar.boundingBox())!.height).toBeLessThan(50);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });

  test("inside the demo, a button restarts it in the console's language, and the way back needs no token", async () => {
    const page = await setup().openPage("admin", "/", { locale: "ru" });
    await page.getByRole("button", { name: "Продолжить демо" }).click();
    const bar = page.locator(".demo-bar");
    await bar.getByRole("button", { name: "Начать заново по-русски" }).click();
    await bar.getByRole("button", { name: "Начать заново по-русски" }).waitFor({ state: "detached" });
    await bar.getByText("Демо остановлено: ").waitFor();
    expect((await setup().server.ask("GET /api/demo")).body).toMatchObject({ language: "ru" });
    await bar.getByRole("button", { name: "Вернуться в свою организацию" }).click();
    await page.getByText("Демо остановлено.").waitFor();
    expect(await page.locator(".demo-bar").count()).toBe(0);
  });

  test("the overview offers to restart a demo that is in another language", async () => {
    const page = await setup().openPage("admin", "/");
    await page.getByRole("button", { name: "Restart in English" }).click();
    const bar = page.locator(".demo-bar");
    await bar.getByText("The demo is stopped: ").waitFor();
    expect((await setup().server.ask("GET /api/demo")).body).toMatchObject({ language: "en" });
    expect(await bar.getByRole("button", { name: "Restart in English" }).count()).toBe(0);
    await bar.getByRole("button", { name: "Back to your org" }).click();
    await page.getByText("The demo is stopped.").waitFor();
  });

  test("a visitor who signed in to the demo directly stays signed in when it restarts", async () => {
    const { token } = (await setup().server.ask("POST /api/demo")).body;
    const page = await setup().openPage(null, "/", { locale: "ru" });
    await page.context().request.post(`${setup().server.url}/api/session`, { data: { token } });
    await page.goto(setup().server.url);
    const bar = page.locator(".demo-bar");
    await bar.getByRole("button", { name: "Начать заново по-русски" }).click();
    await bar.getByRole("button", { name: "Начать заново по-русски" }).waitFor({ state: "detached" });
    await bar.getByText("Демо остановлено: ").waitFor();
    expect(await bar.getByRole("button", { name: "Вернуться в свою организацию" }).count()).toBe(0);
    await setup().server.ask("POST /api/demo", { body: { language: "en" } });
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
