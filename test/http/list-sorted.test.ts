import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent"] });
const PRIORITIES = ["low", "high", "normal", "high", "low", "critical", "normal"];

const created: string[] = [];
for (const [index, priority] of PRIORITIES.entries()) {
  const body = { lifecycle: "board", title: `Task number ${index}`, description: "So", priority };
  created.push(String((await server.ask("POST /api/tasks", { token: ann, body })).body.id));
}
// A finished task has no deadline.
for (const action of ["claim", "complete"])
  await server.ask(`POST /api/tasks/${created[2]!}/transitions`, {
    token: ann,
    body: { action, comment: "so" },
  });

type Listed = { id: string; priority: number; due_at: string | null; updated_at: string };

async function listed(query: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const path = `GET /api/tasks?lifecycle=board&limit=2&${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await server.ask(path, { token: ann });
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
])("pages sorted by %s are in order, and contain each task once", async (query, inOrder) => {
  const tasks = await listed(query);
  expect(tasks.map(({ id }) => id).sort()).toEqual([...created].sort());
  for (const [index, task] of tasks.slice(1).entries()) expect(inOrder(tasks[index]!, task)).toBe(true);
});

test.each([
  ["a cursor of another list", `sort=priority&cursor=${created[0]!}`],
  ["a key that is none", `sort=priority&cursor=abc_${created[0]!}`],
  ["a key where none belongs", `cursor=3_${created[0]!}`],
  ["an order that there is not", "order=random"],
])("%s is refused", async (_, query) => {
  expect(outcomeOf(await server.ask(`GET /api/tasks?${query}`))).toBe("422 VALIDATION_ERROR");
});
