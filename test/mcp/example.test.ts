import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../support/built-pawl.ts";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";

type Entry = { action: string; actor_id: string | null; to_status: string | null; created_at: string };

test("scripted agents finish a board with dependencies over MCP, although one of them crashes", async () => {
  const token = "an-admin-of-the-test";
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_ADMIN_TOKEN: token,
    PAWL_SWEEP_SECONDS: "0.5",
  };
  const server = await startPawl(["--port", "0", "--data", await scratchData()], { env });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), join(ROOT, "examples/mcp-board/run.ts")],
    { env: { PATH: process.env.PATH, PAWL_URL: server.address, PAWL_TOKEN: token } },
  );
  expect(stdout).toContain("dee crashes");
  expect(stdout).toContain("All tasks are done.");

  const { body } = await server.ask("GET /api/tasks?limit=100", token);
  const tasks = body.tasks as { id: string; title: string; status: string }[];
  expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => "DONE"));
  const journals = new Map<string, Entry[]>();
  for (const { id, title } of tasks) {
    const { body: journal } = await server.ask(`GET /api/tasks/${id}/events`, token);
    journals.set(title, journal.events as Entry[]);
  }
  const started = (title: string) =>
    journals.get(title)!.find(({ action }) => action === "claim")!.created_at;
  const ended = (title: string) =>
    journals.get(title)!.find(({ to_status }) => to_status === "DONE")!.created_at;
  for (const events of journals.values()) {
    const count = (...actions: string[]) => events.filter(({ action }) => actions.includes(action)).length;
    expect([count("claim"), count("complete")]).toEqual([1, 1]);
    expect(count("take_over", "resume")).toBe(count("expire"));
  }
  const dropped = [...journals.values()].filter((events) =>
    events.some(({ actor_id, action }) => actor_id?.startsWith("dee-") && action === "claim"),
  );
  expect(dropped).toHaveLength(1);
  expect(dropped[0]!.map(({ action }) => action)).toEqual(expect.arrayContaining(["expire", "take_over"]));
  for (const part of ["parser", "printer", "checker"]) {
    expect(started(`Test the ${part}`) >= ended(`Write the ${part}`)).toBe(true);
    expect(started("Write the notes") >= ended(`Write the ${part}`)).toBe(true);
    expect(started("Release it") >= ended(`Test the ${part}`)).toBe(true);
  }
  await server.stop();
});
