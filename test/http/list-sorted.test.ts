import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent"] });
const PRIORITIES = ["low", "high", "normal", "high", "low", "critical", "normal"];

const made: string[] = [];
for (const [index, priority] of PRIORITIES.entries()) {
  const body = { lifecycle: "board", title: `Task number ${index}`, description: "So", priority };
  made.push(String((await desk.ask("POST /api/tasks", { token: ann, body })).body.id));
}
// One that is finished has no deadline any more.
for (const action of ["claim", "complete"])
  await desk.ask(`POST /api/tasks/${made[2]!}/transitions`, { token: ann, body: { action, comment: "so" } });

type Listed = { id: string; priority: number; due_at: string | null; updated_at: string };

async function listed(query: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const path = `GET /api/tasks?lifecycle=board&limit=2&${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await desk.ask(path, { token: ann });
    all.push(...(body.tasks as Listed[]));
    cursor = body.cursor as string | null;
  }
  return all;
}

test.each([
  ["sort=created&order=asc", (a: Listed, b: Listed) => a.id < b.id],
  ["sort=created&order=desc", (a: Listed, b: Listed) => a.id > b.id],
  ["sort=priority&order=desc", (a: Listed, b: Listed) => a.priority >= b.priority],
  ["sort=priority&order=asc", (a: Listed, b: Listed) => a.priority <= b.priority],
  ["sort=updated&order=desc", (a: Listed, b: Listed) => a.updated_at >= b.updated_at],
  ["sort=due&order=asc", (a: Listed, b: Listed) => b.due_at === null || (a.due_at ?? "") <= b.due_at],
  ["sort=due&order=desc", (a: Listed, b: Listed) => b.due_at === null || (a.due_at ?? "") >= b.due_at],
])("pages by %s are in order, and have every task once", async (query, inOrder) => {
  const tasks = await listed(query);
  expect(tasks.map(({ id }) => id).sort()).toEqual([...made].sort());
  for (const [index, task] of tasks.slice(1).entries()) expect(inOrder(tasks[index]!, task)).toBe(true);
});

test.each([
  ["a cursor of another list", `sort=priority&cursor=${made[0]!}`],
  ["a key that is none", `sort=priority&cursor=abc_${made[0]!}`],
  ["a key where none belongs", `cursor=3_${made[0]!}`],
  ["an order that there is not", "order=random"],
])("%s is refused", async (_, query) => {
  expect(wordOf(await desk.ask(`GET /api/tasks?${query}`))).toBe("422 VALIDATION_ERROR");
});
