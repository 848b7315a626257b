import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { ask, cli, member, task } = await openCliAtServer();
const agent = await member("ann", "--roles", "agent");

test("search finds words of titles and comments, and combines them with filters", async () => {
  const id = await task("Repairing the pump");
  await cli(["tasks", "act", id, "comment", "--comment", "Куплены прокладки"]);
  const found = await ask<{ tasks: { id: string }[]; total: number }>(["board", "search", "repair", "pumps"]);
  expect(found).toMatchObject({ total: 1, tasks: [{ id }] });
  expect((await ask<{ total: number }>(["board", "search", "прокладка"])).total).toBe(1);
  const none = await cli(["board", "search", "pump", "--status", "DONE"]);
  expect(none).toMatchObject({ code: 0, stdout: "No task contains these words.\n" });
});

test("pool lists new tasks with the reason why they cannot be claimed, and claim-next takes a free one", async () => {
  await cli(["tasks", "create", "board", "title=A task of hers", "description=All", "assignee_id=ann"]);
  const { stdout } = await cli("board pool");
  expect(stdout).toContain("assigned to ann");
  expect(stdout).toMatch(/1 of 2 tasks can be claimed/);
  const { tasks } = await ask<{ tasks: { title: string; status: string }[] }>(
    ["board", "claim-next", "--comment", "free hands"],
    { token: agent },
  );
  expect(tasks).toMatchObject([{ title: "Repairing the pump", status: "IN_PROGRESS" }]);
  const nothing = await cli(["board", "claim-next", "-m", "more"], { token: agent });
  expect(nothing.stdout).toContain("No task is free");
});

test("stats shows the figures of agents", async () => {
  const { code, stdout } = await cli("board stats --period all");
  expect(code).toBe(0);
  expect(stdout).toMatch(/ann .*1/);
  expect(stdout).toContain("2 tasks created");
});

test("deadlines shows and changes the deadlines of a workspace", async () => {
  expect((await cli("board deadlines")).stdout).toContain("120 minutes");
  const changed = await ask(["board", "deadlines", "NEW=30", "BLOCKED=default", "--wait-for-blockers"]);
  expect(changed).toMatchObject({
    status_deadlines: { NEW: 30, BLOCKED: 2880 },
    new_deadline_waits_for_blockers: true,
  });
  expect((await cli("board deadlines --no-wait-for-blockers")).stdout).toContain(
    "also runs while a task waits",
  );
  expect(await cli("board deadlines NEWISH=3")).toMatchObject({ code: 2 });
  expect((await cli("board deadlines NEW=5", { token: agent })).code).not.toBe(0);
});
