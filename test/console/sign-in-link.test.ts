import { expect, test } from "vitest";
import { bodyOf } from "../http/test-server.ts";
import { withConsole } from "./console-setup.ts";

withConsole("signing in by a link", (setup) => {
  const linkFor = async (member: string) => {
    const { server } = setup();
    const reply = await server.ask(`POST /api/members/${member}/login-links`);
    return bodyOf<{ path: string }>(201, reply).path;
  };

  test("one click on the link opens the overview, and the code is gone from the address and the history", async () => {
    const path = await linkFor("ann");
    const sent: string[] = [];
    const page = await setup().openPage(null, "/");
    page.on("request", (request) => sent.push(request.url(), JSON.stringify(request.headers())));
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor();
    await page.goto(setup().server.url + path);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).toBe(`${setup().server.url}/`);
    expect(sent.filter((text) => text.includes("pawllink"))).toEqual([]);
    await page.goBack();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).not.toContain("pawllink");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("a used link is reported in the reader's language, and leads to the other ways to sign in", async () => {
    const path = await linkFor("ann");
    const first = await setup().openPage(null, path);
    await first.getByRole("heading", { name: "Overview" }).waitFor();
    const second = await setup().openPage(null, path);
    await second.getByText("This link was used already.").waitFor();
    await second.getByRole("button", { name: "Sign in another way" }).click();
    await second.getByLabel("Token").waitFor();
    const russian = await setup().openPage(null, path, { locale: "ru" });
    await russian.getByText("Ссылка недействительна").waitFor();
    await russian.getByRole("button", { name: "Войти другим способом" }).waitFor();
  });

  test("a link for another member asks before it ends the session", async () => {
    const page = await setup().openPage("bob", await linkFor("ann"));
    await page.getByText("You are signed in as Bob Stone.").waitFor();
    await page.getByRole("button", { name: "Stay signed in as Bob Stone" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await (await page.request.get(`${setup().server.url}/api/me`)).json()).toMatchObject({
      id: "bob",
    });
    await page.goto(setup().server.url + (await linkFor("ann")));
    await page.getByRole("button", { name: "Sign in by the link" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await (await page.request.get(`${setup().server.url}/api/me`)).json()).toMatchObject({
      id: "ann",
    });
  });

  test("a link that is opened while the server does not answer works when it answers again", async () => {
    const path = await linkFor("ann");
    const page = await setup().openPage(null, "/");
    let gone = true;
    for (const route of ["**/api/session/code", "**/ready"])
      await page.route(route, (one) => (gone ? one.abort() : one.continue()));
    await page.goto(setup().server.url + path);
    await page.getByText("The server is not responding").waitFor();
    gone = false;
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });
});
