import { expect, test } from "vitest";
import type { InsightsOnWire } from "../../src/api/index.ts";
import { startTestServer } from "./test-server.ts";

const server = await startTestServer();
const { engine } = server;
const ann = await server.member({ id: "ann", name: "Ann", roles: ["agent", "worker"] });
const bob = await server.member({ id: "bob", roles: ["agent", "worker"] });
const out = await server.member({ id: "out", roles: ["agent"], project_ids: ["elsewhere"] });
await server.ask("POST /api/projects", { body: { id: "elsewhere" } });

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

async function insights(token: string, query = ""): Promise<InsightsOnWire> {
  const reply = await server.ask(`GET /api/insights?lifecycle=board${query}`, { token });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body as unknown as InsightsOnWire;
}

const sum = (counts: readonly number[] | null) => (counts ?? []).reduce((total, count) => total + count, 0);
const last = (counts: readonly number[]) => counts.at(-1);

const done = await make();
await act(done, "claim");
await act(done, "complete");
const held = await make();
await act(held, "claim", bob);
await make();
await make({ visibility: "private", assignee_id: "ann" });
await make({ project_id: "elsewhere" });
const before = await insights(ann);
await engine.past.rollUp();

test("replies report how many events are not counted yet, and until when the figures are", async () => {
  expect(before).toMatchObject({ behind: 8, counted_until: null });
  expect(sum(before.created)).toBe(0);
  // Open tasks are counted now, in any case.
  expect(before.ageing.statuses.find(({ status }) => status === "NEW")?.tasks).toBe(3);
  const now = await insights(ann);
  expect(now.behind).toBe(0);
  expect(Date.parse(now.counted_until ?? "")).toBeGreaterThan(Date.parse(now.since));
});

test.each([
  ["hour", 60],
  ["day", 24],
  ["week", 42],
  ["month", 30],
  ["quarter", 91],
  ["year", 52],
])("a window of one %s has %i buckets, and all of them match what happened", async (window, buckets) => {
  const figures = await insights(ann, `&window=${window}`);
  expect(figures.created).toHaveLength(buckets);
  expect([sum(figures.created), sum(figures.finished), figures.lead.finished]).toEqual([4, 1, 1]);
  const of = (status: string) => figures.statuses.find((row) => row.status === status)!;
  expect(of("NEW")).toMatchObject({ entered: 4, left: 2, final: false });
  expect(of("NEW").p50_seconds).toBeGreaterThan(0);
  expect([last(of("NEW").flow), last(of("IN_PROGRESS").flow), last(of("DONE").flow)]).toEqual([2, 1, 1]);
  expect(of("NEW").flow).toHaveLength(buckets);
  expect(figures.projects).toMatchObject([
    { project_id: "elsewhere", open: 1, created: 1, finished: 0, p50_seconds: null },
    { project_id: "main", open: 3, created: 3, finished: 1 },
  ]);
  expect(figures.people).toMatchObject([
    { member_id: "ann", open: 1, finished: 1 },
    { member_id: "bob", open: 1, finished: 0 },
  ]);
});

test("figures of one member count the tasks that were assigned to it", async () => {
  const figures = await insights(bob, "&member_id=ann");
  expect(figures.created).toBeNull();
  expect([sum(figures.finished), figures.lead.finished]).toEqual([1, 1]);
  expect(figures.statuses.flatMap(({ status, left }) => (left > 0 ? [status] : []))).toEqual(["IN_PROGRESS"]);
  expect(sum((await insights(bob, "&member_id=bob")).finished)).toBe(0);
});

test("a member of one project gets the figures of this project only, and private tasks are in no figure", async () => {
  const theirs = await insights(out);
  expect([sum(theirs.created), sum(theirs.finished)]).toEqual([1, 0]);
  expect(theirs.projects.map(({ project_id }) => project_id)).toEqual(["elsewhere"]);
  expect(theirs.people).toEqual([]);
  const open = (figures: InsightsOnWire) => figures.ageing.oldest.length;
  expect([open(await insights(ann)), open(await insights(bob)), open(theirs)]).toEqual([4, 3, 1]);
  expect((await server.ask("GET /api/insights?lifecycle=board&project_id=main", { token: out })).status).toBe(
    404,
  );
});

test("a task that is older than usual in its status is marked with the percentile that it exceeds", async () => {
  const { ageing, statuses } = await insights(ann);
  const usual = statuses.find(({ status }) => status === "NEW")!.p95_seconds!;
  const waiting = ageing.statuses.find(({ status }) => status === "NEW")!;
  expect(waiting.tasks).toBe(3);
  for (const { status, over, entered_at } of ageing.oldest)
    if (status === "NEW") expect(over === "p95").toBe(Date.now() - Date.parse(entered_at) > usual * 1_000);
  expect(waiting.over_p95).toBeLessThanOrEqual(waiting.over_p50);
});
