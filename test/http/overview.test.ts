import { expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", name: "Ann", roles: ["agent", "worker"] });
const bob = await server.member({ id: "bob", roles: ["agent", "worker"] });
const out = await server.member({ id: "out", roles: ["agent"], project_ids: ["elsewhere"] });
await server.ask("POST /api/projects", { body: { id: "elsewhere" } });
await server.ask("POST /api/projects", {
  body: { id: "hasty", settings: { board: { status_deadlines: { NEW: 0.0001 } } } },
});

async function make(more: object = {}, token = ann): Promise<string> {
  const body = { lifecycle: "board", title: "Paint the shed", description: "Both sides", ...more };
  const reply = await server.ask("POST /api/tasks", { token, body });
  if (reply.status !== 201) throw new Error(reply.text);
  return String(reply.body.id);
}

async function act(id: string, action: string, token = ann): Promise<void> {
  const reply = await server.ask(`POST /api/tasks/${id}/transitions`, {
    token,
    body: { action, comment: "so" },
  });
  if (reply.status !== 200) throw new Error(reply.text);
}

type LifecycleFigures = {
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
type Figures = {
  lifecycles: LifecycleFigures[];
  attention: { task_id: string; reasons: string[] }[];
  workers: { member_id: string; name: string; tasks: number; leases: number; heartbeat_at: string | null }[];
};

async function overview(token: string, query = ""): Promise<Figures & { board: LifecycleFigures }> {
  const { body } = await server.ask(`GET /api/overview${query}`, { token });
  const figures = body as unknown as Figures;
  return { ...figures, board: figures.lifecycles.find(({ name }) => name === "board")! };
}

const done = await make();
await act(done, "claim");
await act(done, "complete");
const held = await make();
await act(held, "claim");
await make();
const secret = await make({ visibility: "private", assignee_id: "ann" });
const late = await make({ project_id: "hasty" });
await server.engine.sweep({ now: Date.now() + 60_000 });

test("counts, moves, throughput and time in status match what happened", async () => {
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
])("a window of one %s has %i buckets, the last of which is the current one", async (window, buckets) => {
  const { board } = await overview(ann, `?window=${window}&lifecycle=board`);
  expect(board.created.length).toBe(buckets);
  expect(board.created.slice(-3).reduce((sum, count) => sum + count, 0)).toBe(5);
});

test("stuck tasks are listed with their reason, and workers with their tasks", async () => {
  const figures = await overview(ann);
  expect(figures.attention).toMatchObject([{ task_id: late, reasons: ["stuck"] }]);
  expect(figures.workers).toMatchObject([
    { member_id: "ann", name: "Ann", tasks: 2, leases: 0, heartbeat_at: null },
  ]);
});

test("the holder of a lease is listed with its heartbeat", async () => {
  await server.ask("POST /api/tasks", { token: bob, body: { lifecycle: "code", title: "Mend it" } });
  await server.ask("POST /api/claims", { token: bob, body: { lifecycle: "code" } });
  const { workers } = await overview(ann, "?lifecycle=code");
  expect(workers).toMatchObject([
    { member_id: "bob", leases: 1, heartbeat_at: expect.any(String) as string },
  ]);
});

test("private tasks and hidden projects are not counted for other members", async () => {
  const [hers, his, theirs] = [await overview(ann), await overview(bob), await overview(out)];
  expect([hers.board.open, his.board.open, theirs.board.open]).toEqual([4, 3, 0]);
  const created = ({ board }: { board: LifecycleFigures }) =>
    board.created.reduce((sum, count) => sum + count, 0);
  expect([created(hers), created(his), created(theirs)]).toEqual([5, 4, 0]);
  expect(theirs).toMatchObject({ attention: [], workers: [] });
  expect(his.workers.find(({ member_id }) => member_id === "ann")?.tasks).toBe(1);
  expect((await overview(ann, "?project_id=hasty")).board.open).toBe(1);
});

test("links contain the visible blockers and dependents of a task", async () => {
  const first = await make({ title: "The first one" });
  const second = await make({ title: "The second one", blocked_by: [first] });
  const third = await make({
    title: "The third one",
    blocked_by: [second],
    visibility: "private",
    assignee_id: "ann",
  });
  const links = async (id: string, token: string) =>
    (await server.ask(`GET /api/tasks/${id}/links`, { token })).body;
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

test("the timer of a private task is not counted for others", async () => {
  expect((await overview(bob)).attention.map(({ task_id }) => task_id)).not.toContain(secret);
});
