import { expect, test } from "vitest";
import type { TestServer } from "../../http/test-server.ts";
import { seriousFindings } from "../serious-findings.ts";
import { withConsole } from "../console-setup.ts";

type Json = Record<string, unknown>;
type Request = (what: string, token: string, body?: object) => Promise<Json>;

/** Sends a request; throws unless it succeeds. */
const requestTo =
  (server: () => TestServer): Request =>
  async (what, token, body) => {
    const headers = what.startsWith("GET") ? {} : { "idempotency-key": crypto.randomUUID() };
    const reply = await server().ask(what, { token, headers, ...(body ? { body } : {}) });
    if (reply.status >= 300) throw new Error(`${what}: ${reply.text}`);
    return reply.body;
  };

withConsole("screens of the built-in plugins", (setup) => {
  const ask = requestTo(() => setup().server);

  test("a graph of 300 tasks has no overlapping labels, and shows live which tasks block others", async () => {
    const { ann } = setup().tokens;
    await ask("POST /api/projects", setup().tokens.admin, { id: "web" });
    const tasks = Array.from({ length: 300 }, (_, at) => ({
      ref: `t${at}`,
      lifecycle: "board",
      project_id: "web",
      title: `Task number ${at} with a title of ${"some ".repeat(at % 9)}length`,
      description: "So",
      blocked_by:
        at === 0
          ? []
          : [...new Set([`t${Math.floor((at - 1) / 3)}`, `t${Math.floor(at / 2)}`])].filter(
              (ref) => ref !== `t${at}`,
            ),
    }));
    const created = (await ask("POST /api/tasks/batch", ann, { tasks })).tasks as { id: string }[];
    const page = await setup().openPage("bob", "/lifecycles/board/graph?project=web");
    await page.locator(".react-flow__node").nth(299).waitFor();
    expect(await page.locator(".react-flow__node").count()).toBe(300);
    expect(await page.evaluate<string[]>(OVERLAPS)).toEqual([]);
    // Zoomed in, a box shows more than its title.
    await page.getByLabel("Find in the graph").fill("Task number 0 ");
    await page.locator(".task-graph[data-distance=near]").waitFor();
    expect(await page.evaluate<string[]>(OVERLAPS)).toEqual([]);
    await page.getByLabel("Find in the graph").press("Enter");
    const side = page.getByRole("region", { name: "Task number 0 " });
    await side.getByText("299 tasks wait for it").waitFor();
    expect(await page.locator(".dependency.resolved").count()).toBe(0);
    const place = () => page.locator(`.react-flow__node[data-id="${created[7]!.id}"]`).getAttribute("style");
    const before = await place();
    await setup().move("ann", created[0]!.id, "claim");
    await setup().move("ann", created[0]!.id, "complete");
    await side.getByText("Done").waitFor();
    await expect.poll(() => page.locator(".dependency.resolved").count()).toBeGreaterThan(1);
    expect(await place()).toBe(before);
    await page.locator(`.react-flow__node[data-id="${created[0]!.id}"]`).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tasks\//);
  });

  test("the agents of the board are shown with their tasks and results", async () => {
    const id = await setup().createTask("Held by Ann for a while");
    const page = await setup().openPage("eve", "/lifecycles/board/agents");
    await page.getByText("No agents yet").waitFor();
    await setup().move("ann", id, "claim");
    const held = page.locator(".holder[data-agent=ann]", { hasText: "Held by Ann for a while" });
    await held.getByText("In progress").first().waitFor();
    await setup().move("bob", id, "escalate");
    await held.getByText("Blocked").waitFor();
    await setup().move("ann", id, "resume");
    await setup().move("ann", id, "complete");
    await held.waitFor({ state: "detached" });
    const outcomes = page.locator(".agent-chart", { hasText: "Outcomes" });
    await outcomes
      .locator("[data-agent=ann]")
      .getByLabel(/^completed: \d/)
      .waitFor();
    const help = page.locator(".agent-chart", { hasText: "Takeovers and escalations" });
    await help.locator("[data-agent=bob]").getByLabel("escalated others' tasks: 1").waitFor();
  });

  test("delivery shows running jobs, and an admin approves a user", async () => {
    const { admin, ann } = setup().tokens;
    const page = await setup().openPage("admin", "/lifecycles/delivery/queue");
    await page.getByText("No file is being delivered right now.").waitFor();
    await ask("POST /api/delivery/users", admin, { id: "501", name: "Maria Orlova" });
    await page.getByText("1 user requests access").waitFor();
    await page.getByRole("link", { name: "Review" }).click();
    const maria = page.locator("[data-user='501']");
    await maria.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByLabel("Days").fill("3");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("Maria Orlova has access.").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await maria.getByText(/^2d 23h left/).waitFor();

    const entry = { kind: "file", path: "/plan.pdf", name: "plan.pdf", size: 1_000_000 };
    await ask("POST /api/delivery/files", admin, { folder: null, scan: "s", last: true, entries: [entry] });
    const [file] = (await ask("GET /api/delivery/files", admin)).files as { id: string }[];
    const job = { user_id: "501", file_id: file!.id, chat_id: "501" };
    await ask("POST /api/delivery/jobs", admin, { ...job, request_nonce: "1" });
    await page.getByRole("link", { name: "Queue" }).click();
    await page.getByRole("region", { name: "Waiting" }).getByText("plan.pdf").waitFor();
    const [taken] = (await ask("POST /api/claims", ann, { lifecycle: "delivery" })).tasks as Claimed[];
    await ask(`POST /api/tasks/${taken!.id}/transitions`, ann, {
      action: "start_download",
      lease_token: taken!.lease_token,
    });
    await ask("POST /api/delivery/progress", ann, {
      worker: { id: "courier-1", concurrency: 2 },
      jobs: [{ job_id: taken!.id, lease_token: taken!.lease_token, bytes: 420_000, total_bytes: 1_000_000 }],
    });
    const bar = page.getByRole("progressbar", { name: "plan.pdf" });
    await expect.poll(() => bar.getAttribute("aria-valuenow")).toBe("42");
    await page.getByRole("region", { name: "Workers" }).getByText("courier-1").waitFor();
    await ask("POST /api/delivery/jobs", admin, { ...job, request_nonce: "2" });
    const waiting = page.getByRole("region", { name: "Waiting" });
    await waiting.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("region", { name: "Recently finished" }).getByText("Cancelled").waitFor();
  });

  test("an executor claims and submits a task, a lead reviews it, and each sees the other's changes live", async () => {
    const { lea } = setup().tokens;
    for (const title of ["Weld the frame", "Weld the lid"])
      await ask("POST /api/planner/tasks", lea, { title, required_trade: "welding" });
    const tom = await setup().openPage("tom", "/lifecycles/planner/pool");
    const pool = tom.getByRole("region", { name: "Pool" });
    const [frame, lid] = ["Weld the frame", "Weld the lid"].map((title) =>
      pool.locator("li", { hasText: title }),
    );
    await frame!.getByRole("button", { name: "Take" }).click();
    const mine = tom.getByRole("region", { name: "My task" });
    await mine.getByText("Weld the frame").waitFor();
    await lid!.getByText("You already have a task.").waitFor();
    expect(await lid!.getByRole("button", { name: "Take" }).isDisabled()).toBe(true);
    await mine.getByRole("button", { name: "Start" }).click();

    const lead = await setup().openPage("lea", "/lifecycles/planner/review");
    await lead.getByText("No calls for help.").waitFor();
    await mine.getByRole("button", { name: "Call for help…" }).click();
    const dialog = tom.getByRole("dialog");
    await dialog.getByLabel("Reason").selectOption("materials");
    await dialog.getByRole("button", { name: "Ask for help" }).click();
    const call = lead.locator(".call", { hasText: "materials" });
    await call.getByRole("button", { name: "Resolve…" }).click();
    await lead.getByRole("dialog").getByLabel("Note").fill("They are at the gate");
    await lead.getByRole("dialog").getByRole("button", { name: "Resolve" }).click();
    await call.waitFor({ state: "detached" });

    await mine.getByRole("button", { name: "Submit" }).click();
    await tom.getByRole("dialog").getByRole("button", { name: "Submit" }).click();
    const queue = lead.getByRole("region", { name: "To review" });
    const submitted = queue.locator("li", { hasText: "Weld the frame" });
    // The defect is optional.
    await submitted.getByRole("button", { name: "Reject…" }).click();
    await lead.getByRole("dialog").getByLabel("Reason").fill("The seam has a gap");
    await lead.getByRole("dialog").getByRole("button", { name: "Send back for rework" }).click();
    await mine.getByRole("button", { name: "Submit" }).click();
    await tom.getByRole("dialog").getByRole("button", { name: "Submit" }).click();
    await submitted.getByRole("button", { name: "Approve" }).click();
    await queue.getByText("Nothing to review").waitFor();
    await mine.getByText("You have no task").waitFor();
    await tom.getByRole("button", { name: "Take the best task" }).click();
    await mine.getByText("Weld the lid").waitFor();
  });

  test("a lead plans and ends a shift, and quality control reports, fixes and inspects a defect", async () => {
    const { lea, tom } = setup().tokens;
    const page = await setup().openPage("lea", "/lifecycles/planner/shifts");
    await page.getByRole("button", { name: "Plan a shift" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Tom Becker").check();
    await dialog.getByRole("button", { name: "Plan a shift" }).click();
    const running = page.getByRole("region", { name: "Running" });
    await running.getByText("Tom Becker").waitFor();
    await running.getByRole("button", { name: "End now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End now" }).click();
    await page.getByRole("region", { name: "Past" }).getByText("Tom Becker").waitFor();

    const created = await ask("POST /api/planner/tasks", lea, { title: "Paint the door", priority: 9 });
    const path = `/api/planner/tasks/${String(created.id)}`;
    const assign = { action: "assign", expected_row_version: 1, payload: { assign_to: "tom" } };
    await releaseTasks(ask, tom, lea);
    await ask(`POST ${path}/transitions`, lea, assign);
    await ask(`POST ${path}/transitions`, tom, { action: "start", expected_row_version: 2 });
    await ask(`POST ${path}/transitions`, tom, { action: "submit", expected_row_version: 3 });
    await page.getByRole("link", { name: "Quality" }).click();
    await page.getByText("No defects").waitFor();
    await ask(`POST ${path}/report-defect`, lea, { description: "Runs in the paint", severity: "critical" });
    const defect = page.locator("[data-defect]", { hasText: "Runs in the paint" });
    await defect.getByText("critical").waitFor();
    await defect.getByRole("button", { name: "Create a fix-task" }).click();
    await defect.getByRole("link", { name: "fix" }).waitFor();
    await page.getByRole("button", { name: "New deliverable" }).click();
    await page.getByRole("dialog").getByLabel("Type").fill("Door");
    await page.getByRole("dialog").getByLabel("Serial number").fill("D-7");
    await page.getByRole("dialog").getByRole("button", { name: "New deliverable" }).click();
    const door = page.locator("[data-deliverable]", { hasText: "Door D-7" });
    await door.getByRole("button", { name: "Submit to QC" }).click();
    await door.getByRole("button", { name: "Inspect…" }).click();
    await page.getByRole("dialog").getByLabel("Result").selectOption("rejected");
    await page.getByRole("dialog").getByLabel("Report").fill("It does not close");
    await page.getByRole("dialog").getByRole("button", { name: "Inspect" }).click();
    await door.getByText("It does not close").waitFor();
  });

  test("output of coding agents is shown live, and finished tasks are listed as merges", async () => {
    const { admin, ann } = setup().tokens;
    await ask("POST /api/code/tasks", admin, { title: "Add a retry", description: "To the sender" });
    const page = await setup().openPage("bob", "/lifecycles/code/workers");
    await page.getByText("No agent is at work").waitFor();
    const [taken] = (await ask("POST /api/code/claims", ann, {})).tasks as Claimed[];
    const { id, lease_token } = taken!;
    const move = (action: string, payload: object) =>
      ask(`POST /api/code/tasks/${id}/transitions`, ann, { action, lease_token, payload });
    const { task } = await move("start", { worktree: "/trees/1", branch: "pawl/retry" });
    const run = (task as { row_version: number }).row_version;
    const say = (text: string) => ask(`POST /api/code/tasks/${id}/output`, ann, { lease_token, run, text });
    await page.locator(".agents").getByText("Add a retry").waitFor();
    await page.locator(".code-output").getByText("pawl/retry").waitFor();
    await say("reading \u001b[32msrc/sender.ts\u001b[0m\n");
    const terminal = page.getByRole("log", { name: "Output of “Add a retry”" });
    await terminal.getByText("reading src/sender.ts").waitFor();
    await say("all tests pass\n");
    await terminal.getByText("all tests pass").waitFor();
    await page.getByRole("link", { name: "Merges" }).click();
    await page.getByText("Nothing merged yet").waitFor();
    await move("complete", { commit: "4f0c2a9be1d27c11" });
    await page.locator(".merges").getByText("4f0c2a9be").waitFor();
    await page.locator(".merges").getByRole("link", { name: "Add a retry" }).click();
    const attempts = page.getByRole("region", { name: "Attempts and their output" });
    await attempts.getByText("merged").waitFor();
    await attempts.getByText("all tests pass").waitFor();
  });

  test("changes of a coding task are shown by file, and a reviewer approves them or asks for more", async () => {
    const { admin, ann } = setup().tokens;
    await ask("POST /api/projects", admin, { id: "reviewed", settings: { code: { review: true } } });
    await ask("POST /api/code/tasks", admin, { title: "Add a limit", project_id: "reviewed" });
    const begin = async () => {
      const [taken] = (await ask("POST /api/code/claims", ann, { project_id: "reviewed" }))
        .tasks as Claimed[];
      return taken!;
    };
    const reviewAgain = async ({ id, lease_token }: Claimed) => {
      const move = (action: string, payload: object) =>
        ask(`POST /api/code/tasks/${id}/transitions`, ann, { action, lease_token, payload });
      await move("start", { worktree: "/trees/1", branch: "pawl/limit" });
      await ask(`POST /api/code/tasks/${id}/diff`, ann, { lease_token, ...CHANGES });
      const { commit } = CHANGES;
      await move("request_review", {
        branch: "pawl/limit",
        commit,
        pull_request: "https://example.org/pull/7",
      });
    };
    const first = await begin();
    await reviewAgain(first);
    const page = await setup().openPage("lea", `/tasks/${first.id}`);
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("2 files").waitFor();
    expect(await changes.getByRole("link", { name: "Pull request" }).getAttribute("href")).toBe(
      "https://example.org/pull/7",
    );
    expect(await changes.locator("[data-line=added]").allInnerTexts()).toHaveLength(3);
    const file = changes.getByRole("group", { name: "src/limit.ts" });
    await file.waitFor();
    await changes.getByText("src/limit.ts").click();
    await file.waitFor({ state: "detached" });
    expect(await seriousFindings(page)).toEqual([]);
    await changes.getByRole("button", { name: "Request changes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("Please add a test.");
    await dialog.getByRole("button", { name: "Request changes" }).click();
    await page.getByText("Please add a test.").first().waitFor();
    await reviewAgain(await begin());
    await changes.getByRole("button", { name: "Approve" }).click();
    await expect
      .poll(async () => (await ask(`GET /api/code/tasks/${first.id}`, ann)).review_request)
      .toMatchObject({ state: "approved" });
  });

  test("axe finds nothing serious on any screen, light or dark, and none is wider than a phone", async () => {
    const findings: string[] = [];
    await setup().createTask("Waits", { blocked_by: [await setup().createTask("Is waited for")] });
    const looks = [
      { colorScheme: "light" },
      { colorScheme: "dark", locale: "ru", viewport: { width: 390, height: 844 } },
    ] as const;
    for (const look of looks) {
      const page = await setup().openPage("admin", "/", look);
      for (const path of SCREENS) {
        await page.goto(setup().server.url + path);
        await page.locator(READY).first().waitFor();
        for (const found of await seriousFindings(page)) findings.push(`${path} ${found}`);
        if (!("viewport" in look)) continue;
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (width > look.viewport.width) findings.push(`${path} is ${width} wide`);
      }
    }
    expect(findings).toEqual([]);
  });
});

type Claimed = { id: string; lease_token: string };

const SCREENS = [
  "/lifecycles/board/graph?project=main",
  "/lifecycles/board/agents",
  "/lifecycles/board/search",
  "/lifecycles/board/search?words=pump",
  "/lifecycles/bot-actions/chat?chat=support",
  "/lifecycles/delivery/queue",
  "/lifecycles/delivery/users",
  "/lifecycles/planner/attention",
  "/lifecycles/planner/pool",
  "/lifecycles/planner/review",
  "/lifecycles/planner/shifts",
  "/lifecycles/planner/week",
  "/lifecycles/planner/quality",
  "/lifecycles/planner/stats",
  "/lifecycles/code/workers",
  "/lifecycles/code/usage",
  "/lifecycles/code/merges",
];
/** Changes of an attempt: a changed and a new file. */
const CHANGES = {
  base: "b".repeat(40),
  commit: "a".repeat(40),
  files: 2,
  added: 3,
  removed: 1,
  truncated: false,
  diff: [
    "diff --git a/src/index.ts b/src/index.ts",
    "--- a/src/index.ts",
    "+++ b/src/index.ts",
    "@@ -1,2 +1,2 @@",
    ' export { start } from "./start.ts";',
    "-// More follows.",
    '+export { limit } from "./limit.ts";',
    "diff --git a/src/limit.ts b/src/limit.ts",
    "new file mode 100644",
    "--- /dev/null",
    "+++ b/src/limit.ts",
    "@@ -0,0 +1,2 @@",
    "+/** Returns the smaller one, also if a line of the file is much longer than any screen of any reader could show. */",
    "+export const limit = (value: number, max: number) => Math.min(value, max);",
    "",
  ].join("\n"),
};
/** The screen shows content, and nothing is loading. */
const READY = "main:not(:has(.bone)) :is(.card, .state, .week)";

/** Returns all tasks of an executor to the pool. */
async function releaseTasks(ask: Request, owner: string, lead: string): Promise<void> {
  const query = "assigned_to=me&status=assigned,in_progress";
  const { tasks } = await ask(`GET /api/planner/tasks?${query}`, owner);
  for (const { id, row_version } of tasks as { id: string; row_version: number }[])
    await ask(`POST /api/planner/tasks/${id}/transitions`, lead, {
      action: "recall_to_pool",
      expected_row_version: row_version,
      payload: { reason: "something else comes first" },
    });
}

/** Finds boxes that overlap, and labels that exceed their boxes. */
const OVERLAPS = `(() => {
  const found = [];
  const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) => {
    const box = node.getBoundingClientRect();
    const label = node.querySelector("b").getBoundingClientRect();
    const out = label.left < box.left - 1 || label.right > box.right + 1 || label.top < box.top - 1 || label.bottom > box.bottom + 1;
    if (out) found.push("out: " + node.dataset.id);
    return { id: node.dataset.id, box };
  });
  for (const [at, { id, box }] of boxes.entries())
    for (const other of boxes.slice(at + 1))
      if (box.left < other.box.right && other.box.left < box.right && box.top < other.box.bottom && other.box.top < box.bottom)
        found.push(id + " " + other.id);
  return found;
})()`;
