import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { cli, ask, member, server } = await openCliAtServer();
const lea = await member("lea", "--roles", "lead");
const bob = await member("bob", "--roles", "executor", "--skill-level", "5");

/** Sends a request of the planner and returns the parsed answer. */
async function send(token: string, what: string, body: object): Promise<Record<string, unknown>> {
  const [method = "", path = ""] = what.split(" ");
  const reply = await fetch(`${server.address}/api/planner${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ client_event_id: randomUUID(), ...body }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()) as Record<string, unknown>;
}

test("attention lists what needs a lead, in groups, or reports that nothing does", async () => {
  expect((await cli("planner attention", { token: lea })).stdout).toBe("Nothing needs attention.\n");
  const { id } = await send(lea, "POST /tasks", { title: "Weld the frame" });
  const move = (token: string, action: string, expected_row_version: number) =>
    send(token, `POST /tasks/${String(id)}/transitions`, { action, expected_row_version });
  await move(bob, "self_assign", 1);
  await move(bob, "start", 2);
  await send(bob, `POST /tasks/${String(id)}/escalations`, { reason: "tools", text: "no\ndrill" });
  await move(bob, "submit", 4);
  const { stdout, code } = await cli("planner attention", { token: lea });
  expect(code).toBe(0);
  expect(stdout).toMatch(/Calls for help \(1\)\n.*\n.*Weld the frame +tools: no drill/);
  expect(stdout).toMatch(/To review \(1\)\n.*\n.*bob +Weld the frame/);
  const only = await ask<{ groups: { kind: string }[] }>("planner attention --kind review", { token: lea });
  expect(only.groups.map(({ kind }) => kind)).toEqual(["review"]);
});

test("attention refuses an executor, an unknown kind and an unknown project", async () => {
  expect((await cli("planner attention", { token: bob })).stderr).toContain("attention.read");
  expect((await cli("planner attention --kind weather", { token: lea })).code).not.toBe(0);
  expect((await cli("planner attention --project nowhere", { token: lea })).stderr).toContain("nowhere");
});

test("dependents lists the tasks that would stay blocked", async () => {
  const base = await send(lea, "POST /tasks", { title: "Cast the base" });
  const drill = await send(lea, "POST /tasks", { title: "Drill it", depends_on: [base.id] });
  await send(lea, "POST /tasks", { title: "Mount it", depends_on: [drill.id] });
  const { stdout } = await cli(`planner dependents ${String(base.id)}`, { token: lea });
  expect(stdout).toMatch(/blocked +directly +Drill it\n.*blocked +through others +Mount it/);
  const { tasks } = await ask<{ tasks: { id: string }[] }>(`planner dependents ${String(base.id)}`, {
    token: lea,
  });
  expect(tasks).toHaveLength(2);
  const none = await cli(`planner dependents ${tasks[1]!.id}`, { token: lea });
  expect(none.stdout).toBe("No task waits for it.\n");
});

test("stats shows the figures, or CSV", async () => {
  expect((await cli("planner stats", { token: lea })).stdout).toMatch(/rework rate +–/);
  const csv = await cli("planner stats --csv", { token: lea });
  expect(csv.stdout.split("\n")[0]).toBe("part,name,figure,value");
  expect((await cli("planner stats", { token: bob })).stderr).toContain("stats.read");
});

test("work is shown in hours, and days are those of a time zone", async () => {
  const task = await send(lea, "POST /tasks", { title: "Polish" });
  for (const [action, version] of [
    ["self_assign", 1],
    ["start", 2],
    ["submit", 3],
  ] as const)
    await send(bob, `POST /tasks/${String(task.id)}/transitions`, { action, expected_row_version: version });
  expect((await cli("planner stats", { token: lea })).stdout).toMatch(/bob +0 +0 +0\.0 h +2/);
  const range = "--from 2026-03-28T12:00:00Z --to 2026-03-30T22:00:00Z --zone Europe/Berlin";
  const { days } = await ask<{ days: { from: string }[] }>(`planner stats ${range}`, { token: lea });
  expect(days.map(({ from }) => from)).toEqual([
    "2026-03-28T12:00:00.000Z",
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T22:00:00.000Z",
  ]);
  expect((await cli("planner stats --zone Mars/Base", { token: lea })).stderr).toContain("time_zone");
  expect((await cli("planner stats --from yesterday", { token: lea })).stderr).toContain("must be a moment");
});

test("at the limit of counted items, attention reports that there may be more", async () => {
  const csv = `title,due_at\n${"Late,2026-01-01T00:00:00Z\n".repeat(500)}`;
  for (const _ of [1, 2]) await send(lea, "POST /imports", { csv });
  const { stdout } = await cli("planner attention --kind late --limit 2", { token: lea });
  expect(stdout).toContain("Late (1000 or more)");
  expect(stdout).toContain("due 2026-01-01T00:00:00.000Z");
  expect(stdout).toContain("and 998 or more");
});
