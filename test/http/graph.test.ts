import { expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent"] });
const bob = await server.member({ id: "bob", roles: ["agent"] });
const far = await server.member({ id: "far", roles: ["agent"], project_ids: ["elsewhere"] });

const task = (ref: string, blocked_by: string[] = [], more: object = {}) => ({
  ref,
  lifecycle: "board",
  title: `Task ${ref}`,
  description: "So",
  blocked_by,
  ...more,
});
const { body } = await server.ask("POST /api/tasks/batch", {
  token: ann,
  body: {
    tasks: [
      task("alone"),
      task("first"),
      task("second", ["first"]),
      task("hidden", ["first"], { visibility: "private" }),
      task("third", ["second", "hidden"]),
    ],
  },
});
const [alone, first, second, hidden, third] = (body.tasks as { id: string }[]).map(({ id }) => id);

type Graph = {
  tasks: { id: string; title: string; open_blockers: number; final: boolean }[];
  dependencies: { task_id: string; blocker_id: string; resolved: boolean }[];
  complete: boolean;
};
const graph = async (token: string, query = "") =>
  (await server.ask(`GET /api/graph${query}`, { token })).body as unknown as Graph;
const ids = ({ tasks }: Graph) => tasks.map(({ id }) => id);

test("the graph has the tasks with dependencies, newest first, and their dependencies", async () => {
  const result = await graph(ann);
  expect(ids(result)).toEqual([third, hidden, second, first]);
  expect(ids(result)).not.toContain(alone);
  expect(result.dependencies.map(({ task_id, blocker_id }) => [task_id, blocker_id])).toEqual(
    expect.arrayContaining([
      [second, first],
      [hidden, first],
      [third, second],
      [third, hidden],
    ]),
  );
  expect(result.complete).toBe(true);
});

test("a hidden task and its dependencies are left out, but it counts as an open blocker", async () => {
  const result = await graph(bob);
  expect(ids(result)).toEqual([third, second, first]);
  expect(JSON.stringify(result)).not.toContain(hidden);
  expect(result.tasks[0]).toMatchObject({ id: third, open_blockers: 2 });
  expect(ids(await graph(far))).toEqual([]);
  expect((await server.ask("GET /api/graph?project_id=main", { token: far })).status).toBe(404);
});

test("a limit keeps the newest tasks, and `complete` is false", async () => {
  const result = await graph(ann, "?limit=2");
  expect(ids(result)).toEqual([third, hidden]);
  expect(result.dependencies).toHaveLength(1);
  expect(result.complete).toBe(false);
});

test("finished tasks come after unfinished ones, and can be left out", async () => {
  for (const action of ["claim", "complete"])
    await server.ask(`POST /api/tasks/${first!}/transitions`, {
      token: ann,
      body: { action, comment: "so" },
    });
  const result = await graph(ann, "?lifecycle=board&project_id=main");
  expect(result.tasks.map(({ id, final }) => [id, final])).toEqual([
    [third, false],
    [hidden, false],
    [second, false],
    [first, true],
  ]);
  expect(result.dependencies.filter(({ resolved }) => resolved).map(({ blocker_id }) => blocker_id)).toEqual([
    first,
    first,
  ]);
  expect(ids(await graph(ann, "?finished=false"))).toEqual([third, hidden, second]);
});
