import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerHold, PlannerTask, PlannerTransition } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, move, get, log, make, taskIn } = server;

/** A task rebuilt from its log so far, with the causes of needs_attention. */
type Rebuilt = { task: PlannerTask; open: number; flags: string[] };

const NOT_OWNED = {
  assigned_to: null,
  assigned_by: null,
  assigned_at: null,
  contributors: [],
  started_at: null,
  submitted_at: null,
};

/** Applies one row of the log as the specification describes it, without using the lifecycle's code. */
function applyRow({ task, open, flags }: Rebuilt, row: PlannerTransition): Rebuilt {
  const { action, payload, actor_id, created_at } = row;
  const input = payload as Partial<PlannerTask> &
    Partial<Record<"assign_to" | "blocker_id" | "hold_id" | "member_id", string>>;
  const set = (change: Partial<PlannerTask>, more: Partial<Rebuilt> = {}): Rebuilt => ({
    task: { ...task, ...change },
    open,
    flags,
    ...more,
  });
  switch (action) {
    case "create": {
      // Flags at creation: blockers that were already canceled.
      const { flags: initial = [], ...fields } = input as Partial<PlannerTask> & {
        flags?: { about: string }[];
      };
      return set(
        { ...fields, created_by: actor_id, created_at },
        { flags: initial.map(({ about }) => about) },
      );
    }
    case "update":
      return set(input);
    case "self_assign":
      return set({ assigned_to: actor_id, assigned_by: null, assigned_at: created_at });
    case "assign":
      return set({ assigned_to: input.assign_to ?? null, assigned_by: actor_id, assigned_at: created_at });
    case "start":
      return set({ started_at: created_at });
    case "submit":
      return set({ submitted_at: created_at }, { flags: flags.filter((flag) => flag !== "shift") });
    case "review_approve":
      return actor_id === task.assigned_to
        ? set({ self_checked: true, reviewed_at: created_at })
        : set({ reviewed_by: actor_id, reviewed_at: created_at });
    case "recall_to_pool":
    case "shift_release":
      return set(NOT_OWNED, { flags: flags.filter((flag) => flag !== "shift") });
    case "cancel":
      return set(row.from_status === "submitted" ? {} : NOT_OWNED);
    case "escalate":
      return set({}, { open: open + 1 });
    case "resolve_escalation":
      return set({}, { open: open - 1 });
    case "flag":
      return set({}, { flags: [...flags, input.blocker_id ?? "shift"] });
    case "remove_dependency":
      return set(
        { depends_on: task.depends_on.filter((id) => id !== input.blocker_id) },
        { flags: flags.filter((flag) => flag !== input.blocker_id) },
      );
    case "place_hold": {
      const {
        hold_id: id,
        kind,
        reason,
      } = payload as { hold_id: string; kind: PlannerHold["kind"]; reason: string };
      return set({
        holds: [...task.holds, { id, kind, reason, placed_by: actor_id, placed_at: created_at }],
      });
    }
    case "release_hold": {
      const holds = task.holds.filter(({ id }) => id !== input.hold_id);
      return set({ holds }, { flags: flags.filter((flag) => flag !== "shift" || holds.length > 0) });
    }
    case "add_contributor":
      return set({ contributors: [...task.contributors, input.member_id ?? ""] });
    case "remove_contributor":
      return set({ contributors: task.contributors.filter((id) => id !== input.member_id) });
    default:
      return set({});
  }
}

const EMPTY_TASK = {
  org_id: "main",
  row_version: 0,
  available_at: null,
  due_at: null,
  estimate_minutes: null,
  holds: [],
  assigned_to: null,
  assigned_by: null,
  assigned_at: null,
  started_at: null,
  submitted_at: null,
  reviewed_by: null,
  reviewed_at: null,
  self_checked: false,
  contributors: [],
  needs_attention: false,
} as unknown as PlannerTask;

function rebuild(id: string, rows: readonly PlannerTransition[]): PlannerTask {
  let rebuilt: Rebuilt = { task: { ...EMPTY_TASK, id }, open: 0, flags: [] };
  for (const row of rows) {
    expect(row.result_row_version, "no row is missing").toBe(rebuilt.task.row_version + 1);
    expect(row.from_status ?? undefined, "each row begins where the last one ended").toBe(
      rebuilt.task.status,
    );
    rebuilt = applyRow(rebuilt, row);
    rebuilt.task.status = row.to_status ?? rebuilt.task.status;
    rebuilt.task.row_version = row.result_row_version;
    rebuilt.task.updated_at = row.created_at;
    rebuilt.task.needs_attention = rebuilt.open > 0 || rebuilt.flags.length > 0;
  }
  return rebuilt.task;
}

/** Numbers of the actions below that fit each status: random ones would hardly ever move a task. */
const FITTING: Record<string, number[]> = {
  blocked: [1, 2, 3, 8, 8],
  available: [1, 9, 12, 12, 14],
  assigned: [1, 2, 3, 4, 5, 6, 7, 9, 10, 16, 16, 21],
  in_progress: [1, 2, 3, 4, 5, 6, 7, 10, 18, 18, 18, 21],
  submitted: [3, 6, 7, 11, 13, 20, 20],
  done: [7],
  canceled: [7],
};

test("every task can be rebuilt from its log alone", async () => {
  const ids: string[] = [];
  const executors: Who[] = ["bob", "cat", "eve"];
  const step = fc.record({ pick: fc.nat(), task: fc.nat(), who: fc.nat() });
  let moves = 0;
  for (const { pick, task, who } of fc.sample(step, { numRuns: 220, seed: 7 })) {
    const executor = executors[who % 3]!;
    if (ids.length < 4 || (pick % 12 === 0 && ids.length < 30)) {
      const fields = {
        priority: who % 5,
        description: who % 2 ? "as drawn" : null,
        depends_on: ids.slice(-(who % 2)),
      };
      ids.push((await make(fields)).id);
      continue;
    }
    const id = ids[ids.length - 1 - (task % Math.min(ids.length, 6))]!;
    const now = await get(id);
    const what = FITTING[now.status]?.at(pick % (FITTING[now.status]?.length ?? 1));
    const owner = (now.assigned_to as Who | null) ?? executor;
    const post = (path: string, body: JsonObject, by: Who = "lea") =>
      send(by, `POST /tasks/${id}${path}`, body);
    const reply = await (() => {
      switch (what) {
        case 1:
          return send("lea", `PATCH /tasks/${id}`, {
            title: `Named ${who}`,
            priority: who % 9,
            expected_row_version: now.row_version,
          });
        case 2:
          return post("/holds", { kind: "materials", reason: "r" });
        case 3:
          return now.holds[0] ? send("lea", `DELETE /tasks/${id}/holds/${now.holds[0].id}`) : null;
        case 4:
          return post("/contributors", { member_id: "dan" });
        case 5:
          return send("dan", `DELETE /tasks/${id}/contributors/dan`);
        case 6:
          return post("/escalations", { reason: "tools" }, owner);
        case 7:
          return send("lea", `GET /tasks/${id}/escalations`).then(({ body }) => {
            const [open] = (body.escalations as { id: string; resolved_at: string | null }[]).filter(
              (one) => one.resolved_at === null,
            );
            return open ? post(`/escalations/${open.id}/resolve`, { note: "n" }) : null;
          });
        case 8:
          return now.depends_on[0]
            ? send("lea", `DELETE /tasks/${id}/depends_on/${now.depends_on[0]}`)
            : null;
        case 9:
          return who % 5 === 0 ? move("lea", id, "cancel", { reason: "r" }) : null;
        case 10:
          return move("lea", id, "recall_to_pool", { reason: "r" });
        case 11:
          return move("lea", id, "review_reject", { reason: "r" });
        case 12:
          return move("lea", id, "assign", { assign_to: executor });
        case 13:
          return move(owner, id, "review_approve");
        case 14:
          return move(executor, id, "self_assign");
        case 16:
          return move(owner, id, "start");
        case 18:
          return move(owner, id, "submit");
        case 21: {
          const hours = { starts_at: "2020-01-01T08:00:00Z", ends_at: "2099-01-01T08:00:00Z" };
          return send("lea", "POST /shifts", { ...hours, members: [owner] }).then(({ body }) =>
            send("lea", `POST /shifts/${String(body.id)}/end`, {}),
          );
        }
        default:
          return move("lea", id, "review_approve");
      }
    })();
    if (reply && reply.status < 300) moves++;
  }
  expect(moves).toBeGreaterThan(60);
  const actions = new Set((await Promise.all(ids.map(log))).flat().map(({ action }) => action));
  expect([...actions]).toEqual(expect.arrayContaining(["shift_release", "flag", "review_reject", "unblock"]));
  for (const id of ids) expect(rebuild(id, await log(id))).toEqual(await get(id));
});

test("a long log is read page by page", async () => {
  const { id } = await make();
  for (let version = 1; version < 6; version++)
    await send("lea", `PATCH /tasks/${id}`, { priority: version, expected_row_version: version });
  const pages: PlannerTransition[] = [];
  for (let after = 0; ;) {
    const { transitions } = bodyOf<{ transitions: PlannerTransition[] }>(
      200,
      await send("vic", `GET /tasks/${id}/transitions?after=${after}&limit=4`),
    );
    if (transitions.length === 0) break;
    pages.push(...transitions);
    after = transitions.at(-1)!.result_row_version;
  }
  expect(pages).toEqual(await log(id));
  expect(pages.map(({ result_row_version }) => result_row_version)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("the log cannot be changed or deleted, by any route or by SQL", async () => {
  const { id } = await taskIn("assigned");
  const { sql } = server;
  await expect(sql`update pawl.event set action = 'start' where task_id = ${id}`).rejects.toMatchObject({
    constraint_name: "event_never_changed",
  });
  await expect(sql`delete from pawl.event where task_id = ${id}`).rejects.toMatchObject({
    constraint_name: "event_kept_with_task",
  });
  for (const what of [
    `PATCH /tasks/${id}/transitions`,
    `DELETE /tasks/${id}/transitions`,
    `PUT /tasks/${id}/transitions`,
  ])
    expect((await send("lea", what, {})).status).toBe(405);
});
