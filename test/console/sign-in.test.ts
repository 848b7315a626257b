import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";

withConsole("signing in", (setup) => {
  test("a valid token opens the overview, and no script can read the token", async () => {
    const page = await setup().openPage(null, "/");
    await page.getByLabel("Token").fill("nonsense");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is unknown or has been revoked.").waitFor();
    await page.getByLabel("Token").fill(setup().tokens.ann);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const readable = await page.evaluate<string>(
      "document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    );
    expect(readable).not.toContain(setup().tokens.ann);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test.each([
    ["on opening the page", "GET", "Sign in to Pawl"],
    ["on signing in", "POST", "Overview"],
  ])("a server that does not respond %s is retried automatically", async (_, method, heading) => {
    const page = await setup().openPage(null, "/");
    await page.getByLabel("Token").fill(setup().tokens.ann);
    let gone = true;
    for (const path of ["**/api/session", "**/ready"])
      await page.route(path, (route) =>
        gone && (path === "**/ready" || route.request().method() === method)
          ? route.abort()
          : route.continue(),
      );
    if (method === "GET") await page.reload();
    else await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The server is not responding").waitFor();
    gone = false;
    await page.getByRole("heading", { name: heading }).waitFor();
  });

  test("signing out ends the session", async () => {
    const page = await setup().openPage("ann", "/");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor();
    expect((await page.request.get(`${setup().server.url}/api/me`)).status()).toBe(401);
  });

  test("a deactivated member is signed out at the next request", async () => {
    const { server, tokens } = setup();
    const gone = await server.member({ id: "gone", roles: ["agent"] });
    const page = await setup().openPage(null, "/members");
    // Block the event stream: on a slow machine it would end the session before the next request.
    await page.route("**/api/events*", (route) => route.abort());
    await page.getByLabel("Token").fill(gone);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Members and tokens" }).waitFor();
    await server.ask("PATCH /api/members/gone", { token: tokens.admin, body: { active: false } });
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Your session has ended. Sign in again.").waitFor();
  });

  test("pages have a strict content security policy, and the API keeps its own", async () => {
    const { server } = setup();
    const page = await server.ask("GET /members", { token: null, headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy") ?? "";
    // The one inline script is the import map, allowed by its hash.
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; style-src 'self'/);
    expect(policy).not.toMatch(/unsafe|\*|http:|https:/);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)(?! type="importmap">)|<style|\son\w+=|style=/);
    const [asset] = /\/assets\/[\w.-]+\.js/.exec(page.text) ?? [""];
    const script = await server.ask(`GET ${asset}`, { token: null, headers: { "accept-encoding": "gzip" } });
    expect(script.headers.get("cache-control")).toContain("immutable");
    const api = await server.ask("GET /api/nothing", { headers: { accept: "text/html" } });
    expect([api.status, api.headers.get("content-security-policy")]).toEqual([
      404,
      "default-src 'none'; frame-ancestors 'none'",
    ]);
  });

  test.each([
    "/assets/none.js",
    "/assets/../../package.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/",
  ])("%s is not found", async (path) => {
    const reply = await setup().server.ask(`GET ${path}`, { token: null, headers: { accept: "*/*" } });
    expect(reply.status).toBe(404);
  });
});
