import { expect, test } from "vitest";
import type {
  AttentionGroup,
  AttentionItem,
  AttentionKind,
} from "../../../src/lifecycles/planner/lead-shapes.ts";
import type { PlannerEscalation, PlannerHold, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { CREW, startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, make, taskIn } = server;

async function groupsOf(query = "", who: Who = "lea"): Promise<Map<AttentionKind, AttentionGroup>> {
  const { groups } = bodyOf<{ groups: AttentionGroup[] }>(200, await send(who, `GET /attention${query}`));
  return new Map(groups.map((group) => [group.kind, group]));
}

async function itemsOf(kind: AttentionKind, query = ""): Promise<AttentionItem[]> {
  return (await groupsOf(`?kind=${kind}&limit=100${query}`)).get(kind)!.items;
}

async function itemOf(kind: AttentionKind, task: PlannerTask): Promise<AttentionItem | undefined> {
  return (await itemsOf(kind)).find((item) => item.task.id === task.id);
}

test("an open escalation is listed with its reason until it is resolved, also on a finished task", async () => {
  const task = await taskIn("in_progress");
  const opened = await send("bob", `POST /tasks/${task.id}/escalations`, {
    reason: "tools",
    text: "no drill",
  });
  const { id, opened_at } = opened.body.escalation as PlannerEscalation;
  expect(await itemOf("escalation", task)).toMatchObject({
    id,
    kind: "escalation",
    since: opened_at,
    by: "bob",
    reason: "tools",
    text: "no drill",
    escalation_id: id,
    hold_id: null,
    blocker: null,
    task: { id: task.id, row_version: task.row_version + 1, status: "in_progress" },
  });
  await act("bob", task.id, "submit");
  await act("lea", task.id, "review_approve");
  expect(await itemOf("escalation", task)).toMatchObject({ task: { status: "done" } });
  await send("lea", `POST /tasks/${task.id}/escalations/${id}/resolve`, { note: "here" });
  expect(await itemOf("escalation", task)).toBeUndefined();
});

test("each open hold is an item until it is released", async () => {
  const task = await taskIn("assigned");
  const place = async (kind: string) =>
    (await send("lea", `POST /tasks/${task.id}/holds`, { kind, reason: `for ${kind}` })).body
      .hold as PlannerHold;
  const [first, second] = [await place("qc"), await place("materials")];
  const held = async () => (await itemsOf("held")).filter((item) => item.task.id === task.id);
  expect(await held()).toMatchObject([
    { hold_id: first.id, since: first.placed_at, by: "lea", reason: "qc", text: "for qc" },
    { hold_id: second.id, reason: "materials" },
  ]);
  await send("lea", `DELETE /tasks/${task.id}/holds/${first.id}`);
  expect(await held()).toMatchObject([{ hold_id: second.id }]);
  await act("lea", task.id, "cancel", { reason: "not wanted" });
  expect(await held()).toEqual([]);
});

test("a task that waits for a canceled one is listed until the dependency is removed", async () => {
  const blocker = await make({ title: "Cast the base" });
  const other = await make({ title: "Drill it" });
  const task = await make({ title: "Mount it", depends_on: [blocker.id, other.id] });
  expect(await itemOf("blocked", task)).toBeUndefined();
  await act("lea", blocker.id, "cancel", { reason: "bought instead" });
  expect(await itemOf("blocked", task)).toMatchObject({
    reason: "canceled",
    text: "bought instead",
    blocker: { id: blocker.id, title: "Cast the base" },
    since: (await server.get(blocker.id)).updated_at,
    task: { status: "blocked", needs_attention: true },
  });
  await send("lea", `DELETE /tasks/${task.id}/depends_on/${blocker.id}`);
  expect(await itemOf("blocked", task)).toBeUndefined();
});

test("a submitted task waits for review, again after a rejection", async () => {
  const task = await taskIn("submitted");
  expect(await itemOf("review", task)).toMatchObject({
    by: "bob",
    since: task.submitted_at,
    text: "as drawn",
  });
  await act("lea", task.id, "review_reject", { reason: "a gap" });
  expect(await itemOf("review", task)).toBeUndefined();
  await act("bob", task.id, "submit");
  expect(await itemOf("review", task)).toMatchObject({ text: null });
  await act("lea", task.id, "review_approve");
  expect(await itemOf("review", task)).toBeUndefined();
});

test("a group is read page by page, oldest first, and its count stays the same", async () => {
  await server.ask("POST /api/projects", { body: { id: "pages" } });
  const tasks: PlannerTask[] = [];
  for (let n = 0; n < 5; n++) tasks.push(await taskIn("submitted", { project_id: "pages" }));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: AttentionGroup = (await groupsOf(`?kind=review&limit=2&project_id=pages${next}`)).get(
      "review",
    )!;
    expect(page.count).toBe(5);
    expect(page.items.length).toBeLessThanOrEqual(2);
    seen.push(...page.items.map((item) => item.task.id));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(seen).toEqual(tasks.map(({ id }) => id));
});

test("a task that disappears while its page is open changes only the next page", async () => {
  const blocker = await make({ title: "Prime it" });
  const waiting = await make({ title: "Paint it", depends_on: [blocker.id] });
  await act("lea", blocker.id, "cancel", { reason: "no primer" });
  const shown = (await itemOf("blocked", waiting))!;
  const removed = await send("sue", `DELETE /tasks/${waiting.id}`, undefined, {
    "if-match": `"${shown.task.row_version}"`,
  });
  expect(removed.status).toBe(204);
  const late = await send("lea", `DELETE /tasks/${waiting.id}/depends_on/${shown.blocker!.id}`);
  expect(late).toMatchObject({ status: 404, body: { code: "TASK_NOT_FOUND" } });
  // The cursor of the item that disappeared is still a valid position.
  const next = encodeURIComponent(`${Date.parse(shown.since)}.${shown.id}`);
  const { items, count } = (await groupsOf(`?kind=blocked&cursor=${next}`)).get("blocked")!;
  expect(items.map((item) => item.id)).not.toContain(shown.id);
  expect(count).toBe((await itemsOf("blocked")).length);
});

test.each([
  ["?cursor=1.0197a000-0000-7000-8000-000000000001", "cursor"],
  ["?kind=review,held&cursor=1.0197a000-0000-7000-8000-000000000001", "cursor"],
  ["?kind=review&cursor=nonsense", "cursor"],
  ["?kind=weather", "kind.0"],
  ["?limit=0", "limit"],
  ["?limit=101", "limit"],
])("%s is refused with the name of the field", async (query, path) => {
  const { status, body } = await send("lea", `GET /attention${query}`);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: "VALIDATION_ERROR", errors: [{ path }] });
});

test("leads, admins and viewers read the page; executors and others do not", async () => {
  const allowed: string[] = [];
  for (const who of Object.keys(CREW) as Who[])
    if ((await send(who, "GET /attention")).status === 200) allowed.push(who);
  expect(allowed).toEqual(["lea", "sue", "tom", "vic", "adam"]);
});

test("a lead of one project sees and counts only items of that project", async () => {
  await server.ask("POST /api/projects", { body: { id: "hall" } });
  const ours = await taskIn("submitted", { project_id: "hall" });
  await taskIn("submitted");
  const token = await server.member({ id: "hal", roles: ["lead"], project_ids: ["hall"] });
  const reply = await server.ask("GET /api/planner/attention", { token });
  const { groups } = bodyOf<{ groups: AttentionGroup[] }>(200, reply);
  expect(groups.flatMap(({ items }) => items).map(({ task }) => task.id)).toEqual([ours.id]);
  expect(groups.map(({ kind, count }) => [kind, count])).toEqual([
    ["escalation", 0],
    ["late", 0],
    ["will_be_late", 0],
    ["blocked", 0],
    ["held", 0],
    ["review", 1],
  ]);
  const other = await server.ask("GET /api/planner/attention?project_id=main", { token });
  expect(other).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});
