import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { cli, ask } = await openCliAtServer();
const folder = await mkdtemp(join(tmpdir(), "pawl-board-"));
afterAll(() => rm(folder, { recursive: true }));

type Task = { id: string; title: string; priority: string; labels: string[]; blocked_by: string[] };
const create = async (name: string, text: string, ...more: string[]) => {
  await writeFile(join(folder, name), text);
  return cli(["board", "create", "--file", join(folder, name), ...more]);
};
const tasks = async () => {
  const { tasks: all } = await ask<{ tasks: Task[] }>("board pool -n 200");
  return new Map(all.map((task) => [task.title, task]));
};

const TABLE = [
  "ref,title,description,priority,labels,blocked_by",
  'print,Печать заметок,"On ""paper""",,"docs,paper",draft',
  "draft,Draft the notes,Changes since 0.1,high,,",
  "",
].join("\r\n");

test("the tasks of a table are created in the order of their blockers, and once", async () => {
  const { stdout, stderr, code } = await create("tasks.csv", TABLE);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/\n2 .*Печать заметок\n3 .*Draft the notes\n2 tasks created\.\n$/);
  const all = await tasks();
  expect(all.get("Печать заметок")).toMatchObject({
    labels: ["docs", "paper"],
    blocked_by: [all.get("Draft the notes")!.id],
    priority: "normal",
  });
  expect((await create("tasks.csv", TABLE)).stdout).toBe(stdout);
  expect((await tasks()).size).toBe(2);
  await create("tasks.csv", TABLE, "--run", "again");
  expect((await ask<{ total: number }>("board pool")).total).toBe(4);
});

test("refused tasks are listed with the reason, do not stop others, and can be corrected and repeated", async () => {
  const list = (assignee_id: string) =>
    JSON.stringify(
      [
        { title: "Taken by someone", description: "d", ref: "a", assignee_id },
        { title: "Waits for it", description: "d", blocked_by: ["a"] },
        { title: "Free of both", description: "d" },
      ],
      null,
      1,
    );
  const { code, stdout } = await create("tasks.json", list("nobody"), "--json");
  expect(code).toBe(3);
  const report = JSON.parse(stdout) as { rows: { line: number; id: string | null; code: string | null }[] };
  expect(report).toMatchObject({
    created: 1,
    refused: 2,
    rows: [
      { line: 2, id: null, code: "VALIDATION_ERROR" },
      { line: 8, id: null, code: "BLOCKER_REFUSED" },
      { line: 15, code: null },
    ],
  });
  const fixed = await create("tasks.json", list("admin"), "--json");
  expect(JSON.parse(fixed.stdout)).toMatchObject({ created: 3, rows: [{}, {}, { id: report.rows[2]!.id }] });
});

test.each([
  ["bad.csv", "title,description,colour\nAn apple,d,red\n", "bad.csv:1:", "colour"],
  ["bad.csv", "title,description,priority\nAn apple,d,urgent\n", "bad.csv:2:", "priority"],
  ["bad.csv", 'title,description\n"An apple,d\n', "bad.csv:2:", "not closed"],
  ["bad.csv", "title,description\nAn apple,d,more\n", "bad.csv:2:", "more than the heading"],
  [
    "bad.json",
    '[\n{"title": "An apple", "description": "d", "ref": "a", "blocked_by": ["a"]}]',
    "bad.json:2:",
    "itself",
  ],
  ["bad.json", '[{"title": "An apple"', "bad.json:1:", ""],
  ["bad.yaml", "- title: An apple\n- just text\n", "bad.yaml:2:", ""],
  ["bad.yaml", "tasks: none\n", "bad.yaml:1:", "a list of tasks is expected"],
  ["empty.json", "[]", "empty.json:1:", "no tasks found"],
])("%s with %j is refused, and nothing is created", async (name, text, where, what) => {
  const before = (await ask<{ total: number }>("board pool")).total;
  const { code, stderr } = await create(name, text);
  expect(code).toBe(2);
  expect(stderr).toContain(where);
  expect(stderr).toContain(what);
  expect((await ask<{ total: number }>("board pool")).total).toBe(before);
});
