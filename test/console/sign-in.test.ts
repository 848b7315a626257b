import { expect, test } from "vitest";
import { onStage } from "./stage.ts";

onStage("signing in", (stage) => {
  test("with a token that holds, the overview is shown, and the token is nowhere a script could read it", async () => {
    const page = await stage().visit(null, "/");
    await page.getByLabel("Token").fill("nonsense");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is unknown or has been revoked.").waitFor();
    await page.getByLabel("Token").fill(stage().tokens.ann);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const readable = await page.evaluate<string>(
      "document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    );
    expect(readable).not.toContain(stage().tokens.ann);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test.each([
    ["on opening the page", "GET", "Sign in to Pawl"],
    ["on signing in", "POST", "Overview"],
  ])("a server that does not answer %s is asked again by itself", async (_, method, heading) => {
    const page = await stage().visit(null, "/");
    await page.getByLabel("Token").fill(stage().tokens.ann);
    let gone = true;
    for (const path of ["**/api/session", "**/ready"])
      await page.route(path, (route) =>
        gone && (path === "**/ready" || route.request().method() === method)
          ? route.abort()
          : route.continue(),
      );
    if (method === "GET") await page.reload();
    else await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The server does not answer").waitFor();
    gone = false;
    await page.getByRole("heading", { name: heading }).waitFor();
  });

  test("signing out forgets it", async () => {
    const page = await stage().visit("ann", "/");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor();
    expect((await page.request.get(`${stage().desk.url}/api/me`)).status()).toBe(401);
  });

  test("who is switched off meanwhile is signed out by his next look", async () => {
    const { desk, tokens } = stage();
    const gone = await desk.member({ id: "gone", roles: ["agent"] });
    const page = await stage().visit(null, "/members");
    // Block the event stream: on a slow machine it would end the session before the next request.
    await page.route("**/api/events*", (route) => route.abort());
    await page.getByLabel("Token").fill(gone);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Members and tokens" }).waitFor();
    await desk.ask("PATCH /api/members/gone", { token: tokens.admin, body: { active: false } });
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("You are signed out: the session has ended.").waitFor();
  });

  test("the pages come with a strict policy, and the API's stays as it was", async () => {
    const { desk } = stage();
    const page = await desk.ask("GET /members", { token: null, headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy") ?? "";
    // The one inline script is the import map, allowed by its hash.
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; style-src 'self'/);
    expect(policy).not.toMatch(/unsafe|\*|http:|https:/);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)(?! type="importmap">)|<style|\son\w+=|style=/);
    const [asset] = /\/assets\/[\w.-]+\.js/.exec(page.text) ?? [""];
    const script = await desk.ask(`GET ${asset}`, { token: null, headers: { "accept-encoding": "gzip" } });
    expect(script.headers.get("cache-control")).toContain("immutable");
    const api = await desk.ask("GET /api/nothing", { headers: { accept: "text/html" } });
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
  ])("%s leads to nothing", async (path) => {
    const heard = await stage().desk.ask(`GET ${path}`, { token: null, headers: { accept: "*/*" } });
    expect(heard.status).toBe(404);
  });
});
