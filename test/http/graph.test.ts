import { expect, test } from "vitest";
import { openFrontDesk } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent"] });
const bob = await desk.member({ id: "bob", roles: ["agent"] });
const far = await desk.member({ id: "far", roles: ["agent"], project_ids: ["elsewhere"] });

const task = (ref: string, blocked_by: string[] = [], more: object = {}) => ({
  ref,
  lifecycle: "board",
  title: `Task ${ref}`,
  description: "So",
  blocked_by,
  ...more,
});
const { body } = await desk.ask("POST /api/tasks/batch", {
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
  (await desk.ask(`GET /api/graph${query}`, { token })).body as unknown as Graph;
const ids = ({ tasks }: Graph) => tasks.map(({ id }) => id);

test("tasks that are tied to others are told, the newest first, with who waits for whom", async () => {
  const told = await graph(ann);
  expect(ids(told)).toEqual([third, hidden, second, first]);
  expect(ids(told)).not.toContain(alone);
  expect(told.dependencies.map(({ task_id, blocker_id }) => [task_id, blocker_id])).toEqual(
    expect.arrayContaining([
      [second, first],
      [hidden, first],
      [third, second],
      [third, hidden],
    ]),
  );
  expect(told.complete).toBe(true);
});

test("what somebody may not see is not told, nor is an edge to it; that it is waited for, is", async () => {
  const told = await graph(bob);
  expect(ids(told)).toEqual([third, second, first]);
  expect(JSON.stringify(told)).not.toContain(hidden);
  expect(told.tasks[0]).toMatchObject({ id: third, open_blockers: 2 });
  expect(ids(await graph(far))).toEqual([]);
  expect(ids(await graph(far, "?project_id=main"))).toEqual([]);
});

test("a limit keeps the newest, and says that there are more", async () => {
  const told = await graph(ann, "?limit=2");
  expect(ids(told)).toEqual([third, hidden]);
  expect(told.dependencies).toHaveLength(1);
  expect(told.complete).toBe(false);
});

test("what is finished comes behind what is not, and can be left out", async () => {
  for (const action of ["claim", "complete"])
    await desk.ask(`POST /api/tasks/${first!}/transitions`, { token: ann, body: { action, comment: "so" } });
  const told = await graph(ann, "?lifecycle=board&project_id=main");
  expect(told.tasks.map(({ id, final }) => [id, final])).toEqual([
    [third, false],
    [hidden, false],
    [second, false],
    [first, true],
  ]);
  expect(told.dependencies.filter(({ resolved }) => resolved).map(({ blocker_id }) => blocker_id)).toEqual([
    first,
    first,
  ]);
  expect(ids(await graph(ann, "?finished=false"))).toEqual([third, hidden, second]);
});
