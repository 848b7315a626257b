import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withConsole } from "../console-setup.ts";
import { seriousFindings } from "../serious-findings.ts";
import { WORK, workFloor } from "./work-floor.ts";

withConsole("the planner's screen for executors", (setup) => {
  const { ask, newExecutor, addTask, move, journalOf, open } = workFloor(setup);

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

const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

const SMALL_TARGETS = `
  [...document.querySelectorAll(".my-work button, dialog .foot button, dialog form .input")]
    .filter((one) => innerWidth < 720 && one.getBoundingClientRect().height < 48)
    .map((one) => one.outerHTML)`;
