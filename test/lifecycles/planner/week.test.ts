import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { ROOT } from "../../support/built-pawl.ts";
import { emptyDatabase, scratchData, startPawl } from "../../http/running-pawl.ts";

test("the planner-week example prints its main events, and leaves nothing open", async () => {
  const token = "an-admin-of-the-test";
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: token, PAWL_SWEEP_SECONDS: "0.5" };
  const server = await startPawl(["--port", "0", "--data", await scratchData()], { env });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), join(ROOT, "examples/planner-week/run.ts")],
    { env: { PATH: process.env.PATH, PAWL_URL: server.address, PAWL_TOKEN: token } },
  );
  for (const line of [
    "8 shifts, none on Wednesday, a holiday.",
    "fay sees only own shifts: 4.",
    "stock-taking cancels the late shift of Friday",
    "8 frames from a template: 40 tasks, 8 can begin.",
    "a mistake in line 3, estimate_minutes: must be a whole number",
    "imports 4 tasks.",
    '"Check F-8" is due in two hours, but will be late',
    "The steel for",
    "bob calls for help",
    "What needs the lead: 1 escalation, 1 held.",
    "lea sends cy to help",
    "stays with its owner: The task is on hold (materials).",
    "Pawl returns the task to the pool",
    "extends the shift by an hour",
    "4 tasks would wait for it forever",
    "removes the dependency, and it is available",
    "rejects",
    "days after it was done",
    "Quentin has approved 8 frames.",
    "What needs the lead: nothing.",
    "Lea copies the week: 1 shift, and 7 are left to their patterns.",
    "1 canceled, 0 left.",
    "The week is done.",
  ])
    expect(stdout).toContain(line);

  const { body } = await server.ask("GET /api/planner/tasks?limit=200", token);
  const tasks = body.tasks as PlannerTask[];
  expect(tasks.filter(({ kind }) => kind === "work")).toHaveLength(44);
  const [fixes, done] = [
    tasks.filter(({ kind }) => kind === "fix"),
    tasks.filter(({ status }) => status === "done"),
  ];
  expect(fixes.length).toBeGreaterThan(2);
  expect(stdout).toContain(`Statistics: ${done.length} approved,`);
  const { body: attention } = await server.ask("GET /api/planner/attention", token);
  expect((attention.groups as { count: number }[]).map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0]);
  await server.stop();
});
