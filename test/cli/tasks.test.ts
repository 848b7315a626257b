import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();
const bob = await at.member("bob", "--kind", "agent", "--roles", "agent");

test("a task is created with its fields, found by a part of its id, moved, and shown with its journal", async () => {
  const created = await at.cli([
    "tasks",
    "create",
    "board",
    "title=Draft the notes",
    "description=d",
    "priority=high",
  ]);
  expect(created).toMatchObject({ code: 0, stderr: "" });
  const [, id = ""] = /^Created ([\da-f-]{36}) in NEW: Draft the notes\n$/.exec(created.stdout) ?? [];
  const claimed = await at.cli(["tasks", "act", id.slice(-8), "claim", "--comment", "on it"], { token: bob });
  expect(claimed).toEqual({
    code: 0,
    stderr: "",
    stdout: `${id} claim: NEW → IN_PROGRESS  Draft the notes\n`,
  });
  const shown = await at.cli(["tasks", "show", id.slice(0, 20)]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/^status {2,}IN_PROGRESS$/m);
  expect(shown.stdout).toMatch(/^2 {2}claim {3}NEW → IN_PROGRESS {2}bob {4}\S+Z {2}on it$/m);
  expect(shown.stdout).toMatch(/^You may: .*cancel/m);
  const task = await at.ask<{ row_version: number; events: object[]; possible: string[] }>([
    "tasks",
    "show",
    id,
  ]);
  expect(task.row_version).toBe(2);
  expect(task.events).toHaveLength(2);
  expect(task.possible).toContain("cancel");
});

test("a repeated idempotency key does not repeat the action, and a stale version is refused", async () => {
  const id = await at.task("Put it off");
  const act = ["tasks", "act", id, "comment", "-m", "hm", "--key", "once"];
  const [first, again] = [await at.cli(act), await at.cli(act)];
  expect(again).toEqual(first);
  expect((await at.ask<{ row_version: number }>(["tasks", "show", id])).row_version).toBe(2);
  expect(await at.cli(["tasks", "act", id, "comment", "-m", "hm", "--expect", "1"])).toMatchObject({
    code: 3,
  });
});

test("lists are filtered, paged, plain in a pipe, and coloured on demand", async () => {
  const id = await at.task("A title with \u001b[31mred\u001b[0m in it");
  await at.task("Another one");
  const listed = await at.cli(["tasks", "list", "--lifecycle", "board", "--search", "in it"]);
  const [head = "", line = "", ...rest] = listed.stdout.trimEnd().split("\n");
  expect(head).toMatch(/^id +lifecycle +project +status +assignee +title +due +changed$/);
  expect(line).toMatch(
    new RegExp(`^${id} +board +main +NEW +A title with  \\[31mred \\[0m in it +\\S+Z +\\S+Z$`),
  );
  expect(rest).toEqual([]);
  expect((await at.cli("tasks list --status DONE")).stdout).toBe("No tasks found.\n");
  expect((await at.cli("tasks list --limit 1")).stdout).toContain("There are more: use --all");
  const all = await at.ask<{ tasks: object[]; more: boolean }>("tasks list --all");
  expect(all.more).toBe(false);
  expect(all.tasks.length).toBeGreaterThan(1);
  expect((await at.cli("tasks list", { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[36m");
  const refused = await at.cli("tasks list", { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  expect(refused.stdout).not.toContain("\u001b");
});

test("why shows every reason, and its exit code is that of the action", async () => {
  const id = await at.task("Why not");
  const no = await at.cli(["why", id, "expire"], { token: bob });
  expect(no.code).toBe(3);
  expect(no.stdout).toContain('✗ No: bob may not expire "Why not" (NEW) now, for 2 reasons:\n');
  expect(no.stdout.match(/^ {2}- .+ \([A-Z_]+\)$/gm)).toHaveLength(2);
  const yes = await at.cli(["tasks", "why", id, "claim"], { token: bob });
  expect(yes).toMatchObject({ code: 0, stdout: '✓ Yes: bob may claim "Why not" (NEW) now.\n' });
  const every = await at.cli(["why", id]);
  expect(every.stdout).toMatch(/^✓ cancel$/m);
  expect(every.stdout).toMatch(/^✗ resume +"resume" starts from BLOCKED, STUCK; the task is NEW\.$/m);
  const { allowed } = JSON.parse((await at.cli(["why", id, "claim", "--json"])).stdout) as {
    allowed: boolean;
  };
  expect(allowed).toBe(true);
});

const REFUSALS: [name: string, args: string[], code: number, message: string][] = [
  [
    "an unknown field",
    ["tasks", "create", "board", "titel=x"],
    2,
    'has no field "titel"; did you mean "title"?',
  ],
  ["a word without =", ["tasks", "create", "board", "title"], 2, '"title" is not a field: write name=value'],
  ["a value that is not JSON", ["tasks", "create", "board", "title:=x"], 2, "which is not valid JSON"],
  [
    "an unknown lifecycle",
    ["tasks", "create", "boad"],
    2,
    'There is no lifecycle "boad"; did you mean "board"?',
  ],
  ["invalid input", ["tasks", "create", "board", "title=x"], 2, "title"],
  ["a malformed id", ["tasks", "show", "xyz"], 2, '"xyz" is not a task id'],
  [
    "a part of an id that no task has",
    ["tasks", "show", "ffffffff"],
    3,
    "There is no task whose id begins or ends with",
  ],
  ["an unknown id", ["tasks", "show", "019f0000-0000-7000-8000-000000000000"], 3, "There is no task 019f"],
  ["a limit that is not a number", ["tasks", "list", "--limit", "many"], 2, "It must be a whole number"],
  ["a status list without a value", ["tasks", "list", "--status"], 2, "argument missing"],
  ["an unknown subcommand", ["tasks", "lst"], 2, 'unknown command "lst"; did you mean "list"?'],
  [
    "an unknown option",
    ["tasks", "list", "--stats"],
    2,
    'unknown option "--stats"; did you mean "--status"?',
  ],
];

test.concurrent.each(REFUSALS)("%s is refused with a sentence", async (_, args, code, message) => {
  const ran = await at.cli(args);
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(ran.stderr).toMatch(/^pawl: /);
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
});

test("a refused action prints the reason and how to see all reasons, and exits with 3", async () => {
  const id = await at.task("Claimed by bob");
  expect((await at.cli(["tasks", "act", id, "claim", "-m", "on it"], { token: bob })).code).toBe(0);
  const late = await at.cli(["tasks", "act", id, "claim", "-m", "me too"]);
  expect(late).toMatchObject({ code: 3, stdout: "" });
  expect(late.stderr).toContain("bob was first");
  expect(late.stderr).toContain(`\`pawl why ${id} claim\` shows every reason.`);
  const json = await at.cli(["tasks", "act", id, "claim", "-m", "me too", "--json"]);
  expect(JSON.parse(json.stderr)).toMatchObject({ code: "TASK_ALREADY_CLAIMED", status: 409 });
  const uncommented = await at.cli(["tasks", "act", id, "complete"], { token: bob });
  expect(uncommented.stderr).toContain("Give the reason with --comment.");
  const misspelt = await at.cli(["tasks", "act", id, "compleet", "-m", "x"], { token: bob });
  expect(misspelt.stderr).toContain('There is no action "compleet"; did you mean "complete"?');
});

test("a beginning that several ids share is refused with the candidates", async () => {
  const [one, two] = [await at.task("Sibling one"), await at.task("Sibling two")];
  let length = 4;
  while (two.startsWith(one.slice(0, length + 1))) length++;
  const shared = one.slice(0, length);
  const { code, stderr } = await at.cli(["tasks", "show", shared]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^pawl: .* matches \d+ tasks: type more of the id\.\n/);
});

test("moments in a lifecycle's own fields are shown as times, not as milliseconds", async () => {
  const kim = await at.member("kim", "--kind", "human", "--roles", "lead,executor", "--skill-level", "9");
  const create = ["tasks", "create", "planner", "title=Weld it", "--key", "weld it", "--json"];
  const { stdout } = await at.cli(create, { token: kim });
  const { id, row_version } = JSON.parse(stdout) as { id: string; row_version: number };
  const take = ["tasks", "act", id, "self_assign", "--expect", String(row_version), "--key", "take it"];
  expect((await at.cli(take, { token: kim })).stderr).toBe("");
  const shown = await at.cli(["tasks", "show", id]);
  expect(shown.stdout).toMatch(/^assigned_at {2,}20\d\d-\d\d-\d\dT\S+Z$/m);
});
