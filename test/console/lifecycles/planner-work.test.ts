import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBadLine } from "../../client/faulty-proxy.ts";
import { withConsole } from "../console-setup.ts";
import { seriousFindings } from "../serious-findings.ts";

const WORK = "/lifecycles/planner/work";
const PHONE = { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true };

type Json = Record<string, unknown>;
type Executor = { id: string; token: string };

withConsole("the planner's screen for executors", (setup) => {
  const ask = async (what: string, token: string, body?: object): Promise<Json> => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const reply = await setup().server.ask(what, { token, headers, ...(body ? { body } : {}) });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body;
  };
  let count = 0;
  /** Each executor has a trade of their own, and therefore a pool of their own. */
  const newExecutor = async (more: object = {}): Promise<Executor> => {
    const id = `max-${++count}`;
    const token = await setup().server.member({
      id,
      name: "Max Weber",
      roles: ["executor"],
      skill_level: 5,
      specializations: [id],
      ...more,
    });
    return { id, token };
  };
  const addTask = async (executor: Executor, title: string, more: object = {}) => {
    const body = { title, required_trade: executor.id, ...more };
    return String((await ask("POST /api/planner/tasks", setup().tokens.lea, body)).id);
  };
  const move = (token: string, id: string, action: string, expected_row_version: number, payload = {}) =>
    ask(`POST /api/planner/tasks/${id}/transitions`, token, { action, expected_row_version, payload });
  const journalOf = async (id: string) => {
    const { transitions } = await ask(`GET /api/planner/tasks/${id}/transitions`, setup().tokens.lea);
    return (transitions as { action: string }[]).map(({ action }) => action);
  };
  const open = (executor: Executor, options: BrowserContextOptions = {}, base?: string) =>
    setup().openPage({ token: executor.token }, WORK, { ...PHONE, ...options }, base);

  test("an executor takes a task, asks for help, reports a defect, submits with a note, and gets it back", async () => {
    const max = await newExecutor();
    const { lea } = setup().tokens;
    const id = await addTask(max, "Weld the frame", { description: "Use wire 0.8.", priority: 3 });
    const page = await open(max);
    await page.getByText("None is planned for you.").waitFor();
    const offer = page.getByRole("region", { name: "Next task" });
    for (const reason of [
      `For your trade: ${max.id}`,
      "Needs skill 3, you have 5",
      "The first in the pool, priority 3",
    ])
      await offer.getByText(reason).waitFor();
    await offer.getByRole("button", { name: "Take this task" }).tap();
    const mine = page.getByRole("region", { name: "My task" });
    await mine.getByText("Use wire 0.8.").waitFor();
    await mine.getByRole("button", { name: "Start" }).tap();

    await mine.getByRole("button", { name: "Ask for help…" }).tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").selectOption("other");
    await dialog.getByRole("button", { name: "Ask for help" }).tap();
    await dialog.getByText("Describe the reason.").first().waitFor();
    await dialog.getByLabel("What do you need?").fill("A longer cable");
    await dialog.getByRole("button", { name: "Ask for help" }).tap();
    await mine.getByText("No answer yet.").waitFor();
    const { escalations } = await ask(`GET /api/planner/tasks/${id}/escalations`, lea);
    const [call] = escalations as { id: string }[];
    await ask(`POST /api/planner/tasks/${id}/escalations/${call!.id}/resolve`, lea, {
      note: "It is at the gate",
      expected_row_version: 4,
    });
    await mine.getByText("Answer from Lea Marsh").waitFor();

    await mine.getByRole("button", { name: "Report a defect…" }).tap();
    await dialog.getByLabel("What is wrong?").fill("A crack in the profile");
    await dialog.getByRole("button", { name: "Report a defect" }).tap();
    await expect
      .poll(async () => (await ask(`GET /api/planner/defects?task_id=${id}`, lea)).defects)
      .toMatchObject([{ description: "A crack in the profile", severity: "major", reported_by: max.id }]);

    await mine.getByRole("button", { name: "Submit…" }).tap();
    await dialog.getByLabel("Note").fill("The left seam is done twice");
    await dialog.getByRole("button", { name: "Submit" }).tap();
    await page.getByRole("region", { name: "Waiting for review" }).getByText("Weld the frame").waitFor();
    await expect.poll(() => journalOf(id)).toContain("submit");
    const { data, row_version } = await ask(`GET /api/tasks/${id}`, lea);
    expect(data).toMatchObject({ resolution: "The left seam is done twice" });
    await move(lea, id, "review_reject", Number(row_version), { reason: "The seam has a gap" });
    await mine.getByText("Sent back by Lea Marsh").waitFor();
    await mine.getByText("The seam has a gap").waitFor();
    await ask(`POST /api/planner/tasks/${id}/holds`, lea, {
      kind: "materials",
      reason: "No wire until noon",
      expected_row_version: Number(row_version) + 1,
    });
    await mine.getByText("On hold: materials").waitFor();
    await mine.getByText("No wire until noon").waitFor();
  });

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

  test("if another member has taken the offered task, the executor is told who, and gets the next offer", async () => {
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

  test("an owner with enough skill approves their own work in place", async () => {
    const max = await newExecutor({ skill_level: 8 });
    const id = await addTask(max, "Check");
    await move(max.token, id, "self_assign", 1);
    await move(max.token, id, "start", 2);
    const page = await open(max);
    await page.getByRole("button", { name: "Submit…" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Submit" }).tap();
    await page.getByRole("button", { name: "Approve my work" }).tap();
    await expect
      .poll(() => journalOf(id))
      .toEqual(["create", "self_assign", "start", "submit", "review_approve"]);
    await page.getByText("No task for you now").waitFor();
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

  test("without a task, the screen names the reason that the API has", async () => {
    const max = await newExecutor({ skill_level: 2 });
    const page = await open(max);
    await page.getByText("Tasks need skill 3; yours is 2").waitFor();
    await page.getByText("You have no shift now. None is planned for you.").waitFor();
    const able = await newExecutor();
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    await ask("POST /api/planner/shifts", setup().tokens.lea, {
      starts_at: at(-60),
      ends_at: at(60),
      members: [able.id],
    });
    const other = await open(able);
    await other.getByText("No task for you now").waitFor();
    await other.getByText(/^On shift until .* left$/).waitFor();
    await addTask(able, "Weld", { priority: 1 });
    await other.getByRole("button", { name: "Take this task" }).tap();
    await addTask(able, "Cut");
    const next = other.getByRole("region", { name: "Next task" });
    await next.getByText("You can take it when you have submitted your task.").waitFor();
    expect(await next.getByRole("button", { name: "Take this task" }).count()).toBe(0);
  });

  test("executors see the tab first, and leads last of the plugin's", async () => {
    const max = await newExecutor();
    const page = await open(max, { viewport: { width: 1440, height: 900 }, isMobile: false });
    const tabs = (at: Page) => at.getByRole("navigation", { name: "planner" }).getByRole("link");
    expect(await tabs(page).first().textContent()).toBe("My work");
    const side = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^planner/ });
    expect(await side.getAttribute("href")).toBe(WORK);
    const lead = await setup().openPage("lea", WORK);
    await lead.getByText("This page is for executors").waitFor();
    expect(await tabs(lead).first().textContent()).toBe("Board");
  });

  test("the keyboard alone is enough", async () => {
    const max = await newExecutor();
    const id = await addTask(max, "Sort");
    const page = await open(max, {
      viewport: { width: 1280, height: 800 },
      isMobile: false,
      hasTouch: false,
    });
    await page.getByRole("button", { name: "Take this task" }).press("Enter");
    await page.getByRole("button", { name: "Start" }).press("Enter");
    await page.getByRole("button", { name: "Submit…" }).press("Enter");
    await page.keyboard.type("All sorted");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => journalOf(id)).toEqual(["create", "self_assign", "start", "submit"]);
  });

  test.each([
    ["light", "en"],
    ["dark", "en"],
    ["light", "ru"],
    ["dark", "ru"],
  ] as const)("on a phone, targets are large and nothing overflows (%s, %s)", async (colorScheme, locale) => {
    const max = await newExecutor();
    const options = { colorScheme, locale };
    const shoot = async (page: Page, name: string) => {
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate<number>(OVERFLOW), "nothing is wider than the screen").toBe(0);
      expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
      const folder = process.env.PAWL_SCREENSHOTS;
      if (folder === undefined) return;
      const { width } = page.viewportSize()!;
      await page.screenshot({ path: `${folder}/${name}-${locale}-${colorScheme}-${width}.png` });
    };
    const [free, frame] = [
      await open(max, options),
      await addTask(max, "Weld the frame of the left gate", {
        priority: 5,
        estimate_minutes: 90,
        due_at: new Date(Date.now() + 3 * 3_600_000).toISOString(),
        description:
          "1. Clamp both profiles at 90°.\n2. Tack at four points, check the diagonal.\n3. Weld from the inside, wire 0.8 mm.\n\nLet it cool before you release the clamps.",
      }),
    ];
    await addTask(max, "Weld the lid", { priority: 1 });
    await free.locator(`[data-offer="${frame}"]`).waitFor();
    await shoot(free, "offer");
    await move(max.token, frame, "self_assign", 1);
    await move(max.token, frame, "start", 2);
    await move(max.token, frame, "submit", 3);
    await move(setup().tokens.lea, frame, "review_reject", 4, {
      reason: "The lower seam has a gap of 2 mm.",
    });
    await free.locator("[data-status=in_progress]").waitFor();
    await free.locator(".note[data-tone=bad]").waitFor();
    await shoot(free, "returned");
    await free.locator(".work-actions .main").tap();
    await free.locator("dialog textarea").fill("The seam is closed, measured twice.");
    await shoot(free, "submit");
    await free.context().setOffline(true);
    await free.locator("dialog .main").tap();
    await free.locator("[data-waiting=submit]").waitFor();
    await shoot(free, "waiting");
    await ask(`POST /api/planner/tasks/${frame}/holds`, setup().tokens.lea, {
      kind: "qc",
      reason: "Ultrasound first",
      expected_row_version: 5,
    });
    await free.context().setOffline(false);
    await free.locator("[data-refused=submit] li").first().waitFor();
    await free.locator(".stale").waitFor({ state: "detached" });
    await shoot(free, "refused");
    const wide = await open(max, { ...options, viewport: { width: 1280, height: 900 }, isMobile: false });
    await wide.locator("[data-status=in_progress]").waitFor();
    await wide.locator(".work-actions .main").waitFor();
    await shoot(wide, "wide");
  });
});

const ACTIONS_OF = (items: { getAttribute: (name: string) => string | null }[]) =>
  items.map((item) => item.getAttribute("data-waiting") ?? "");

const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

const SMALL_TARGETS = `
  [...document.querySelectorAll(".my-work button, dialog .foot button, dialog form .input")]
    .filter((one) => innerWidth < 720 && one.getBoundingClientRect().height < 48)
    .map((one) => one.outerHTML)`;
