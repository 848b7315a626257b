import { expect, test } from "vitest";
import { openBadLine } from "../../client/faulty-proxy.ts";
import { withConsole } from "../console-setup.ts";
import { WORK, workFloor } from "./work-floor.ts";
import type { Json } from "./work-floor.ts";

withConsole("the queue of an executor's actions", (setup) => {
  const { ask, newExecutor, addTask, move, journalOf, open } = workFloor(setup);

  test("offline, actions are stored in their order, shown as waiting, and sent once when the network is back", async () => {
    const max = await newExecutor();
    const [first, second] = [await addTask(max, "Cut", { priority: 2 }), await addTask(max, "Drill")];
    const page = await open(max);
    const take = page.getByRole("button", { name: "Take this task" });
    await take.waitFor();
    await page.context().setOffline(true);
    await take.tap();
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByRole("button", { name: "Ask for help…" }).tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").selectOption("tools");
    await dialog.getByRole("button", { name: "Ask for help" }).tap();
    await page.getByRole("button", { name: "Submit…" }).tap();
    await dialog.getByLabel("Note").fill("Cut to 2 m");
    await dialog.getByRole("button", { name: "Submit" }).tap();
    // The second task can be taken although the server still counts the first one.
    await take.tap();
    await page.getByText("5 actions wait to be sent").waitFor();
    const waiting = await page.locator("[data-waiting]").evaluateAll(ACTIONS_OF);
    expect(waiting.toSorted()).toEqual(["escalate", "self_assign", "self_assign", "start", "submit"]);
    expect(await journalOf(first)).toEqual(["create"]);
    await page.context().setOffline(false);
    await page.getByText(/waits? to be sent/).waitFor({ state: "detached" });
    expect(await journalOf(first)).toEqual(["create", "self_assign", "start", "escalate", "submit"]);
    expect(await journalOf(second)).toEqual(["create", "self_assign"]);
    await page.getByRole("region", { name: "My task" }).getByText("Drill").waitFor();
  });

  test.each(["cut after", "cut within", "503 after", "cut before"] as const)(
    "an action whose answer is lost (%s) is repeated with its key and takes effect once",
    async (fate) => {
      const max = await newExecutor();
      const id = await addTask(max, "Grind");
      await move(max.token, id, "self_assign", 1);
      const line = await openBadLine(setup().server.url);
      const fates = [fate, fate];
      line.fate = ({ method, url }) =>
        method === "POST" && url?.includes("transitions") ? (fates.shift() ?? "pass") : "pass";
      const keys: unknown[] = [];
      const page = await open(max, {}, line.url);
      page.on("request", (request) => {
        if (request.method() === "POST") keys.push((request.postDataJSON() as Json).client_event_id);
      });
      await page.getByRole("button", { name: "Start" }).tap();
      await page.getByText("1 action waits to be sent").waitFor();
      await page.getByText("1 action waits to be sent").waitFor({ state: "detached" });
      expect(await journalOf(id)).toEqual(["create", "self_assign", "start"]);
      // Some repetitions are by the browser itself, which the page does not see.
      expect(line.requests.filter(({ what }) => /^POST .*transitions$/.test(what)).length).toBe(3);
      expect(fates).toEqual([]);
      expect(new Set(keys).size).toBe(1);
      // The answer to the repetition is that of the first request, not a refusal.
      await page.getByRole("button", { name: "Submit…" }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
  );

  test("waiting actions survive a reload and closing the page", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Paint");
    await move(max.token, id, "self_assign", 1);
    const line = await openBadLine(setup().server.url);
    const page = await open(max, {}, line.url);
    // The page loads, but no action gets through.
    line.fate = ({ method, url }) => (method === "POST" && url?.includes("planner") ? "503 before" : "pass");
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByRole("button", { name: "Submit…" }).tap();
    await page.getByRole("dialog").getByLabel("Note").fill("Two layers");
    await page.getByRole("dialog").getByRole("button", { name: "Submit" }).tap();
    await page.reload();
    await page.getByText("2 actions wait to be sent").waitFor();
    await page.getByText("Two layers").waitFor();
    const context = page.context();
    await page.close();
    expect(await journalOf(id)).toEqual(["create", "self_assign"]);
    line.fate = () => "pass";
    // They are sent from any page of the console.
    const other = await context.newPage();
    await other.goto(`${line.url}/settings`);
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start", "submit"]);
  });

  test("a refused action is explained, stops the later ones, and keeps the typed note", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Assemble");
    await move(max.token, id, "self_assign", 1);
    const page = await open(max);
    await page.getByRole("button", { name: "Start" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByRole("button", { name: "Submit…" }).tap();
    await page.getByRole("dialog").getByLabel("Note").fill("Torque is 40 Nm");
    await page.getByRole("dialog").getByRole("button", { name: "Submit" }).tap();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(String((request.postDataJSON() as Json).action));
    });
    await move(setup().tokens.lea, id, "recall_to_pool", 2, { reason: "Another one is urgent" });
    await page.context().setOffline(false);
    const refused = page.getByRole("alert").filter({ hasText: "Not carried out: Start · Assemble" });
    await refused.getByText("The task is no longer yours.").waitFor();
    await refused.getByText("Lea Marsh · Return to the pool").waitFor();
    await refused.getByText("Another one is urgent").waitFor();
    await refused.getByText("Therefore not sent: Submit").waitFor();
    await refused.getByText("Torque is 40 Nm").waitFor();
    expect(await refused.getByRole("button", { name: "Send again" }).count()).toBe(0);
    expect(await journalOf(id)).toEqual(["create", "self_assign", "recall_to_pool"]);
    await page.reload();
    await refused.getByText("Torque is 40 Nm").waitFor();
    expect(sent, "neither repeated nor followed by the submission").not.toContain("submit");
    expect(new Set(sent)).toEqual(new Set(["start"]));
    await page.goto(`${setup().server.url}/settings`);
    await page.getByText("1 action was not carried out.").waitFor();
    await page.getByRole("link", { name: "Show" }).tap();
    await refused.getByRole("button", { name: "Discard" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Keep" }).tap();
    await refused.getByText("Torque is 40 Nm").waitFor();
    await refused.getByRole("button", { name: "Discard" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).tap();
    await refused.waitFor({ state: "detached" });
  });

  test("after a change that does not forbid them, refused actions are sent again for the new version", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Polish");
    await move(max.token, id, "self_assign", 1);
    const page = await open(max);
    await page.getByRole("button", { name: "Start" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByRole("button", { name: "Submit…" }).tap();
    await page.getByRole("dialog").getByLabel("Note").fill("Shines");
    await page.getByRole("dialog").getByRole("button", { name: "Submit" }).tap();
    await ask(`PATCH /api/planner/tasks/${id}`, setup().tokens.lea, { priority: 4, expected_row_version: 2 });
    await page.context().setOffline(false);
    const refused = page.getByRole("alert").filter({ hasText: "Not carried out: Start" });
    await refused.getByText("Somebody else changed the task").waitFor();
    await refused.getByRole("button", { name: "Send again" }).tap();
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "update", "start", "submit"]);
    await page.getByRole("region", { name: "Waiting for review" }).getByText("Polish").waitFor();
  });

  test("if another member has taken the offered task, the executor learns who it was and gets the next offer", async () => {
    const max = await newExecutor();
    const rival = await newExecutor({ name: "Ina Roth", specializations: [max.id] });
    const [first] = [await addTask(max, "Saw", { priority: 1 }), await addTask(max, "Bend")];
    const page = await open(max);
    await page.getByRole("region", { name: "Next task" }).getByText("Saw").waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Take this task" }).tap();
    await move(rival.token, first, "self_assign", 1);
    await page.context().setOffline(false);
    await page.getByText("Ina Roth has taken this task.").waitFor();
    const offer = page.getByRole("region", { name: "Next task" });
    await offer.getByText("Bend").waitFor();
    await offer.getByRole("button", { name: "Take this task" }).tap();
    await page.getByRole("region", { name: "My task" }).getByText("Bend").waitFor();
  });

  test.each([
    ["with locks", ""],
    [
      "without locks, as on pages without HTTPS",
      "Object.defineProperty(navigator, 'locks', { value: undefined })",
    ],
  ])("two tabs send the same actions once and in their order (%s)", async (_, script) => {
    const max = await newExecutor();
    const id = await addTask(max, "Rivet");
    await move(max.token, id, "self_assign", 1);
    const one = await open(max);
    const context = one.context();
    await context.addInitScript(script);
    await one.reload();
    const two = await context.newPage();
    await two.goto(setup().server.url + WORK);
    for (const page of [one, two]) await page.getByRole("button", { name: "Start" }).waitFor();
    const sent: string[] = [];
    context.on("request", (request) => {
      if (request.method() === "POST") sent.push(String((request.postDataJSON() as Json).action));
    });
    await context.setOffline(true);
    await one.getByRole("button", { name: "Start" }).tap();
    // The other tab shows what waits, and continues from there.
    await two.getByRole("button", { name: "Submit…" }).tap();
    await two.getByRole("dialog").getByRole("button", { name: "Submit" }).tap();
    await one.getByText("2 actions wait to be sent").waitFor();
    // Both tabs have tried in vain; from here on, requests count.
    sent.length = 0;
    await context.setOffline(false);
    for (const page of [one, two]) await page.getByText(/waits? to be sent/).waitFor({ state: "detached" });
    expect(await journalOf(id)).toEqual(["create", "self_assign", "start", "submit"]);
    if (script === "") expect(sent).toEqual(["start", "submit"]);
  });

  test("a tab that the system froze while it held the lock does not stop the others", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Glue");
    await move(max.token, id, "self_assign", 1);
    const page = await open(max);
    await page.getByRole("button", { name: "Start" }).waitFor();
    const frozen = await page.context().newPage();
    await frozen.goto(`${setup().server.url}/settings`);
    await frozen.evaluate(
      `new Promise((held) => navigator.locks.request("pawl.outbox.main/${max.id}", () => { held(); return new Promise(() => {}); }))`,
    );
    await page.getByRole("button", { name: "Start" }).tap();
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start"]);
  });

  test("a browser that stores nothing is named, and the action is sent while the page is open", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Mark");
    await move(max.token, id, "self_assign", 1);
    const page = await open(max);
    await page.context().addInitScript("Storage.prototype.setItem = () => { throw new Error('full'); }");
    await page.reload();
    await page.getByRole("button", { name: "Start" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByText("keep this page open until everything is sent").waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start"]);
    await page.getByText(/waits? to be sent/).waitFor({ state: "detached" });
  });

  test("signing out warns about unsent actions, and they are sent after the next sign-in of the same member", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Label");
    await move(max.token, id, "self_assign", 1);
    const line = await openBadLine(setup().server.url);
    line.fate = ({ method, url }) =>
      method === "POST" && url?.includes("transitions") ? "503 before" : "pass";
    const page = await open(max, {}, line.url);
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByText("1 action waits to be sent").waitFor();
    const signOut = async () => {
      await page.getByRole("button", { name: "Account" }).tap();
      await page.getByRole("button", { name: "Sign out" }).tap();
    };
    await signOut();
    const dialog = page.getByRole("dialog", { name: "1 action is not sent yet" });
    await dialog.getByText("Label").waitFor();
    await dialog.getByRole("button", { name: "Stay signed in" }).tap();
    await page.getByText("1 action waits to be sent").waitFor();
    await signOut();
    await dialog.getByRole("button", { name: "Sign out anyway" }).tap();
    const signIn = async (token: string) => {
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Sign in" }).tap();
    };
    line.fate = () => "pass";
    // Another member on the same device neither sees nor sends them.
    const other = await newExecutor({ name: "Ina Roth" });
    await signIn(other.token);
    await page.getByText("No task for you now").waitFor();
    expect(await page.getByText("to be sent").count()).toBe(0);
    await signOut();
    expect(await journalOf(id)).toEqual(["create", "self_assign"]);
    await signIn(max.token);
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start"]);
  });

  test("a token that is revoked while actions wait ends the session, and they are sent after the next sign-in", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Weld");
    await move(max.token, id, "self_assign", 1);
    const page = await open(max);
    await page.getByRole("button", { name: "Start" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Start" }).tap();
    await page.getByText("1 action waits to be sent").waitFor();
    const { server } = setup();
    const { tokens } = await ask(`GET /api/members/${max.id}/tokens`, server.admin);
    for (const token of tokens as { id: string }[]) await server.ask(`DELETE /api/tokens/${token.id}`);
    await page.context().setOffline(false);
    const { token } = await ask(`POST /api/members/${max.id}/tokens`, server.admin);
    await page.getByLabel("Token").fill(String(token));
    expect(await journalOf(id)).toEqual(["create", "self_assign"]);
    await page.getByRole("button", { name: "Sign in" }).tap();
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start"]);
  });
});

const ACTIONS_OF = (items: { getAttribute: (name: string) => string | null }[]) =>
  items.map((item) => item.getAttribute("data-waiting") ?? "");
