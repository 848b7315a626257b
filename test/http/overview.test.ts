import { expect, test } from "vitest";
import { openFrontDesk } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", name: "Ann", roles: ["agent", "worker"] });
const bob = await desk.member({ id: "bob", roles: ["agent", "worker"] });
const out = await desk.member({ id: "out", roles: ["agent"], project_ids: ["elsewhere"] });
await desk.ask("POST /api/projects", { body: { id: "elsewhere" } });
await desk.ask("POST /api/projects", {
  body: { id: "hasty", settings: { board: { status_deadlines: { NEW: 0.0001 } } } },
});

async function make(more: object = {}, token = ann): Promise<string> {
  const body = { lifecycle: "board", title: "Paint the shed", description: "Both sides", ...more };
  const heard = await desk.ask("POST /api/tasks", { token, body });
  if (heard.status !== 201) throw new Error(heard.text);
  return String(heard.body.id);
}

async function act(id: string, action: string, token = ann): Promise<void> {
  const heard = await desk.ask(`POST /api/tasks/${id}/transitions`, {
    token,
    body: { action, comment: "so" },
  });
  if (heard.status !== 200) throw new Error(heard.text);
}

type Figures = {
  name: string;
  open: number;
  attention: number;
  statuses: {
    status: string;
    tasks: number | null;
    entered: number;
    left: number;
    median_seconds: number | null;
  }[];
  moves: { from: string; to: string; action: string; count: number }[];
  created: number[];
  finished: number[];
};
type Told = {
  lifecycles: Figures[];
  attention: { task_id: string; reasons: string[] }[];
  workers: { member_id: string; name: string; tasks: number; leases: number; heartbeat_at: string | null }[];
};

async function overview(token: string, query = ""): Promise<Told & { board: Figures }> {
  const { body } = await desk.ask(`GET /api/overview${query}`, { token });
  const told = body as unknown as Told;
  return { ...told, board: told.lifecycles.find(({ name }) => name === "board")! };
}

const done = await make();
await act(done, "claim");
await act(done, "complete");
const held = await make();
await act(held, "claim");
await make();
const secret = await make({ visibility: "private", assignee_id: "ann" });
const late = await make({ project_id: "hasty" });
await desk.engine.sweep({ now: Date.now() + 60_000 });

test("counts, arrows, throughput and time in status are those of what happened", async () => {
  const { board } = await overview(ann);
  const of = (status: string) => board.statuses.find((one) => one.status === status)!;
  expect(board).toMatchObject({ open: 4, attention: 1 });
  expect([of("NEW").tasks, of("IN_PROGRESS").tasks, of("STUCK").tasks, of("DONE").tasks]).toEqual([
    2,
    1,
    1,
    null,
  ]);
  expect([of("NEW").entered, of("DONE").entered, of("CANCELLED").entered]).toEqual([5, 1, 0]);
  expect(board.moves).toEqual(
    expect.arrayContaining([
      { from: "NEW", to: "IN_PROGRESS", action: "claim", count: 2 },
      { from: "IN_PROGRESS", to: "DONE", action: "complete", count: 1 },
      { from: "NEW", to: "STUCK", action: "expire", count: 1 },
    ]),
  );
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  expect([sum(board.created), sum(board.finished)]).toEqual([5, 1]);
  expect(of("NEW")).toMatchObject({ left: 3 });
  expect(of("IN_PROGRESS").median_seconds).toBeGreaterThanOrEqual(0);
});

test.each([
  ["hour", 60],
  ["day", 48],
  ["week", 42],
])("a window of a %s has %i buckets, the last of which has what happens now", async (window, buckets) => {
  const { board } = await overview(ann, `?window=${window}&lifecycle=board`);
  expect(board.created.length).toBe(buckets);
  expect(board.created.slice(-3).reduce((sum, count) => sum + count, 0)).toBe(5);
});

test("what is stuck is named with its reason, and who works with what he holds", async () => {
  const told = await overview(ann);
  expect(told.attention).toMatchObject([{ task_id: late, reasons: ["stuck"] }]);
  expect(told.workers).toMatchObject([
    { member_id: "ann", name: "Ann", tasks: 2, leases: 0, heartbeat_at: null },
  ]);
});

test("who holds a lease is shown with his heartbeat", async () => {
  await desk.ask("POST /api/tasks", { token: bob, body: { lifecycle: "code", title: "Mend it" } });
  await desk.ask("POST /api/claims", { token: bob, body: { lifecycle: "code" } });
  const { workers } = await overview(ann, "?lifecycle=code");
  expect(workers).toMatchObject([
    { member_id: "bob", leases: 1, heartbeat_at: expect.any(String) as string },
  ]);
});

test("private tasks and other projects are in nobody else's figures", async () => {
  const [hers, his, theirs] = [await overview(ann), await overview(bob), await overview(out)];
  expect([hers.board.open, his.board.open, theirs.board.open]).toEqual([4, 3, 0]);
  const created = ({ board }: { board: Figures }) => board.created.reduce((sum, count) => sum + count, 0);
  expect([created(hers), created(his), created(theirs)]).toEqual([5, 4, 0]);
  expect(theirs).toMatchObject({ attention: [], workers: [] });
  expect(his.workers.find(({ member_id }) => member_id === "ann")?.tasks).toBe(1);
  expect((await overview(ann, "?project_id=hasty")).board.open).toBe(1);
});

test("links lead up to what a task waits for and down to who waits for it, as far as one may see", async () => {
  const first = await make({ title: "The first one" });
  const second = await make({ title: "The second one", blocked_by: [first] });
  const third = await make({
    title: "The third one",
    blocked_by: [second],
    visibility: "private",
    assignee_id: "ann",
  });
  const links = async (id: string, token: string) =>
    (await desk.ask(`GET /api/tasks/${id}/links`, { token })).body;
  expect(await links(second, ann)).toMatchObject({
    dependencies: expect.arrayContaining([
      { task_id: second, blocker_id: first, on_failure: "wait", resolved: false },
      { task_id: third, blocker_id: second, on_failure: "wait", resolved: false },
    ]) as unknown,
    hidden: 0,
    complete: true,
  });
  const seen = (await links(second, bob)) as { tasks: { id: string }[]; hidden: number };
  expect(seen.tasks.map(({ id }) => id).sort()).toEqual([first, second].sort());
  expect(seen).toMatchObject({ dependencies: [{ task_id: second, blocker_id: first }], hidden: 1 });
  expect(JSON.stringify(seen)).not.toContain("third");
});

test("a private task is not even counted by its timer's reason", async () => {
  expect((await overview(bob)).attention.map(({ task_id }) => task_id)).not.toContain(secret);
});
