import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { ROOT } from "../../support/built-pawl.ts";
import { emptyDatabase, scratchData, startPawl } from "../../http/running-pawl.ts";

test("the planner-day example prints its main events and finishes all 40 tasks", async () => {
  const token = "an-admin-of-the-test";
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: token, PAWL_SWEEP_SECONDS: "0.5" };
  const server = await startPawl(["--port", "0", "--data", await scratchData()], { env });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), join(ROOT, "examples/planner-day/run.ts")],
    { env: { PATH: process.env.PATH, PAWL_URL: server.address, PAWL_TOKEN: token } },
  );
  for (const line of [
    "Lea has planned 40 tasks; 8 can begin, the others wait.",
    "The steel for",
    "bob calls for help",
    "would wait for it forever",
    "The early shift is over",
    "stays with its owner: The task is on hold (materials).",
    "Pawl returns the task to the pool",
    "rejects",
    "hours after it was done",
    "Quentin has approved 8 frames.",
    "1 canceled, 0 left.",
    "The day is done.",
  ])
    expect(stdout).toContain(line);

  const { body } = await server.ask("GET /api/planner/tasks?limit=200", token);
  const tasks = body.tasks as PlannerTask[];
  expect(tasks.filter(({ kind }) => kind === "work")).toHaveLength(40);
  expect(tasks.filter(({ kind }) => kind === "fix").length).toBeGreaterThan(2);
  const { body: held } = await server.ask("GET /api/planner/tasks?needs_attention=true", token);
  expect(held.tasks).toEqual([]);
  await server.stop();
});
