import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { cli, ask, member, server } = await openCliAtServer();
const lea = await member("lea", "--roles", "lead");
const sue = await member("sue", "--roles", "supervisor");
const bob = await member("bob", "--roles", "executor", "--skill-level", "5");
const folder = await mkdtemp(join(tmpdir(), "pawl-floor-"));
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

async function send<T = { id: string }>(token: string, what: string, body: object): Promise<T> {
  const [method = "", path = ""] = what.split(" ");
  const reply = await fetch(`${server.address}/api/planner${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ client_event_id: randomUUID(), ...body }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()) as T;
}

test("an executor sees the pool and takes the best task once per key", async () => {
  expect((await cli("planner pool", { token: bob })).stdout).toBe("No task is available to you.\n");
  expect((await cli("planner claim-next", { token: bob })).stdout).toContain("No task is available to you");
  await send(lea, "POST /tasks", { title: "Sweep the floor" });
  const best = await send(lea, "POST /tasks", { title: "Weld the frame", priority: 5 });
  expect((await cli("planner pool", { token: bob })).stdout).toMatch(/5 +any +you may +Weld the frame\n/);
  const claim = "planner claim-next --key first";
  expect((await cli(claim, { token: bob })).stdout).toBe(`${best.id}  Weld the frame\nversion 2\n`);
  const again = await ask<{ task: { id: string } }>(claim, { token: bob });
  expect(again.task.id).toBe(best.id);
  expect((await cli("planner pool", { token: bob })).stdout).toMatch(/WIP_LIMIT +Sweep the floor/);
  const refused = await cli("planner claim-next", { token: bob });
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain("Weld the frame");
});

test("an action that requires a version is performed on the current one, unless another is expected", async () => {
  const { id } = await send(lea, "POST /tasks", { title: "Move the crane" });
  const cancel = ["tasks", "act", id, "cancel", "reason=bought"];
  const stale = await cli([...cancel, "--expect", "7"], { token: lea });
  expect([stale.code, stale.stderr]).toEqual([3, expect.stringContaining("--expect any")]);
  expect((await cli([...cancel, "--expect", "soon"], { token: lea })).code).toBe(2);
  expect((await cli(cancel, { token: lea })).stdout).toContain("available → canceled");
});

test("deadlines lists due tasks in order, and changes a due date unless the task has changed", async () => {
  const later = await send(lea, "POST /tasks", { title: "Paint it", due_at: "2020-01-02T00:00:00Z" });
  await send(lea, "POST /tasks", { title: "Grind it", due_at: "2020-01-01T00:00:00Z", estimate_minutes: 30 });
  await send(lea, "POST /tasks", { title: "Some day", due_at: "2999-01-01T00:00:00Z" });
  const { stdout } = await cli("planner deadlines", { token: lea });
  expect(stdout).toMatch(/late +30 min +available +Grind it\n.*late +available +Paint it\n$/);
  const moved = `planner deadlines ${later.id} --due 2999-01-02T00:00:00Z --estimate 45`;
  const stale = await cli(`${moved} --expect 7`, { token: lea });
  expect([stale.code, stale.stderr]).toEqual([3, expect.stringContaining("version")]);
  expect(await ask(moved, { token: lea })).toMatchObject({
    due_at: "2999-01-02T00:00:00.000Z",
    estimate_minutes: 45,
  });
  expect(await ask(`planner deadlines ${later.id} --no-due`, { token: lea })).toMatchObject({ due_at: null });
  const untargeted = await cli("planner deadlines --no-due", { token: lea });
  expect([untargeted.code, untargeted.stderr]).toEqual([2, expect.stringContaining("Name the task")]);
});

test("policy shows the values, and a supervisor changes and restores them", async () => {
  expect((await cli("planner policy", { token: bob })).stdout).toMatch(/min_skill_to_take +3 /);
  expect((await cli("planner policy min_skill_to_take=4", { token: lea })).stderr).toContain("policy.write");
  const changed = await ask("planner policy min_skill_to_take=4 allow_trade_override=true", { token: sue });
  expect(changed).toMatchObject({ min_skill_to_take: 4, allow_trade_override: true });
  const restored = "planner policy min_skill_to_take=default allow_trade_override=default";
  expect(await ask(restored, { token: sue })).toMatchObject({
    min_skill_to_take: 3,
    allow_trade_override: false,
  });
  for (const wrong of ["min_skil=4", "min_skill_to_take=four"])
    expect((await cli(`planner policy ${wrong}`, { token: sue })).code).toBe(2);
  expect((await cli("planner policy --project nowhere", { token: sue })).code).toBe(3);
});

const TEMPLATE = `
name: frame
type: frame
tasks:
  - { ref: cut, title: Резать раму, required_trade: welder, estimate_minutes: 30 }
  - { ref: weld, title: Weld the frame, depends_on: [cut] }
`;

test("a template is saved from a file, and creates a deliverable with all its tasks", async () => {
  const saved = await cli(["planner", "templates", "save", await file("frame.yaml", TEMPLATE)], {
    token: lea,
  });
  expect(saved.stderr).toBe("");
  expect(saved.stdout).toContain("○ Резать раму (welder)\n└─ · Weld the frame");
  expect((await cli("planner templates list", { token: bob })).stdout).toMatch(/frame +frame +2\n/);
  const shown = await cli("planner templates show frame --json", { token: lea });
  const copy = await file("copy.json", shown.stdout);
  await ask(["planner", "templates", "save", copy, "--name", "copy"], { token: lea });
  const made = await cli("planner templates create frame F-1", { token: lea });
  expect(made.stdout).toMatch(/blocked +Weld the frame\nCreated frame F-1 \(.*\) with 2 tasks\./);
  const twice = await cli("planner templates create frame F-1", { token: lea });
  expect([twice.code, twice.stderr]).toEqual([3, expect.stringContaining("F-1")]);
  expect((await cli("planner templates create copy F-2", { token: bob })).stderr).toContain("template.write");
  expect((await cli("planner templates delete copy", { token: lea })).stdout).toBe("Deleted copy.\n");
  expect((await cli("planner templates show copy", { token: lea })).code).toBe(3);
});

test("a wrong template file is refused with the lines of its mistakes", async () => {
  const wrong =
    "name: a\ntype: b\ntasks:\n  - ref: x\n    titel: T\n  - ref: y\n    title: Y\n    priority: high\n";
  const path = await file("wrong.yaml", wrong);
  const { code, stderr } = await cli(["planner", "templates", "save", path], { token: lea });
  expect(code).toBe(2);
  expect(stderr).toContain("3 mistakes in wrong.yaml; nothing was saved.");
  expect(stderr).toContain("wrong.yaml:8: tasks.1.priority");
  for (const text of ["[", "- a", "name: a\ntasks: []"])
    expect((await cli(["planner", "templates", "save", await file("bad.yaml", text)])).code).toBe(2);
  expect((await cli(["planner", "templates", "save", join(folder, "none.yaml")])).stderr).toContain("ENOENT");
});

test("a deliverable is created, submitted, rejected with a fix-task, and named by its serial", async () => {
  const as = { token: lea };
  expect((await cli("planner deliverables create gate G-1", as)).stdout).toMatch(/gate +G-1 +open/);
  const { deliverable } = await ask<{ deliverable: { id: string } }>("planner deliverables show G-1", as);
  const task = await send(lea, "POST /tasks", { title: "Hang the gate", deliverable_id: deliverable.id });
  const early = await cli("planner deliverables submit G-1", as);
  expect([early.code, early.stderr]).toEqual([3, expect.stringContaining("task")]);
  const eve = await member("eve", "--roles", "executor", "--skill-level", "9");
  const move = (action: string, expected_row_version: number) =>
    send(eve, `POST /tasks/${task.id}/transitions`, { action, expected_row_version });
  for (const [index, action] of ["self_assign", "start", "submit", "review_approve"].entries())
    await move(action, index + 1);
  expect((await cli("planner deliverables submit G-1", as)).stdout).toContain("submitted_to_qc");
  const reject = ["planner", "deliverables", "inspect", "G-1", "--result", "rejected"];
  const defect = ["--task", task.id, "--defect", "it hangs askew", "--severity", "minor", "--fix"];
  const rejected = await cli([...reject, "--measure", "gap_mm=0.4", "--measure", "by=eye", ...defect], as);
  expect(rejected.stdout).toMatch(/qc_rejected[^]*1 fix-task: /);
  expect((await cli("planner deliverables show G-1", as)).stdout).toMatch(
    /done +eve +Hang the gate[^]*Fix: Hang the gate[^]*rejected +lea +by="eye" gap_mm=0.4/,
  );
  const listed = await ask<{ deliverables: { serial: string }[] }>(
    "planner deliverables list --status qc_rejected",
    as,
  );
  expect(listed.deliverables.map(({ serial }) => serial)).toEqual(["G-1"]);
  expect((await cli("planner deliverables show G-9", as)).code).toBe(3);
  await ask("planner deliverables create door G-1", as);
  const ambiguous = await cli("planner deliverables show G-1", as);
  expect([ambiguous.code, ambiguous.stderr]).toEqual([2, expect.stringContaining("use the id")]);
});
