import { describe, expect, test } from "vitest";
import { decideCreation, draftOf } from "../../core/index.ts";
import type { Actor, JsonObject, Task } from "../../core/index.ts";
import { testLifecycle } from "../../../test/support/lifecycle-grid.ts";
import { decideRequest, member, NOW, situationOf, SYSTEM, taskIn } from "../../../test/support/situation.ts";
import { board } from "./lifecycle.ts";

const ACTORS: Record<string, Actor> = {
  creator: member("creator", ["agent"]),
  assignee: member("assignee", ["agent"]),
  stranger: member("stranger", ["agent"]),
  admin: member("admin", ["admin"]),
  lead: member("lead", ["lead"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

// held: the task is assigned to "assignee" and its deadline has passed; free: it has no assignee.
const GRID = `
action    | setup | who                                   | NEW                  | IN_PROGRESS          | BLOCKED              | STUCK                | DONE                 | CANCELLED
start     | held  | assignee                              | IN_PROGRESS          | .                    | .                    | .                    | .                    | .
start     | held  | creator, stranger, admin, lead, system      | x                    | .                    | .                    | .                    | .                    | .
claim     | held  | creator, stranger, assignee, admin, lead    | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED
claim     | held  | system                                | x                    | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED | TASK_ALREADY_CLAIMED
claim     | free  | creator, stranger, assignee, admin, lead    | IN_PROGRESS          |                      | .                    | .                    |                      | .
complete  | held  | assignee                              | .                    | DONE                 | .                    | .                    | .                    | .
complete  | held  | creator, stranger, admin, lead, system      | .                    | x                    | .                    | .                    | .                    | .
block     | held  | assignee                              | .                    | BLOCKED              | .                    | .                    | .                    | .
block     | held  | creator, stranger, admin, lead, system      | .                    | x                    | .                    | .                    | .                    | .
escalate  | held  | assignee                              | .                    | CANNOT_ESCALATE_OWN  | .                    | .                    | .                    | .
escalate  | held  | creator, stranger, admin, lead              | .                    | BLOCKED              | .                    | .                    | .                    | .
escalate  | held  | system                                | .                    | CANNOT_ESCALATE_OWN  | .                    | .                    | .                    | .
release   | held  | assignee                              | .                    | NEW                  | NEW                  | x                    | .                    | .
release   | held  | creator                               | .                    | x                    | NEW                  | NEW                  | .                    | .
release   | held  | stranger, admin, lead                       | .                    | x                    | x                    | x                    | .                    | .
release   | held  | system                                | .                    | x                    | x                    | NEW                  | .                    | .
resume    | held  | assignee                              | .                    | .                    | IN_PROGRESS          | IN_PROGRESS          | .                    | .
resume    | held  | creator, stranger, admin, lead, system      | .                    | .                    | x                    | x                    | .                    | .
take_over | held  | assignee                              | .                    | .                    | .                    | CANNOT_TAKE_OVER     | .                    | .
take_over | held  | creator, stranger, admin, lead              | .                    | .                    | .                    | IN_PROGRESS          | .                    | .
take_over | free  | creator, stranger, assignee, admin, lead    | .                    |                      | .                    | IN_PROGRESS          |                      | .
take_over | held  | system                                | .                    | .                    | .                    | CANNOT_TAKE_OVER     | .                    | .
cancel    | held  | creator                               | CANCELLED            | CANCELLED            | CANCELLED            | CANCELLED            | .                    | .
cancel    | held  | assignee                              | x                    | CANCELLED            | x                    | x                    | .                    | .
cancel    | held  | stranger, admin, lead, system               | x                    | x                    | x                    | x                    | .                    | .
expire    | held  | system                                | STUCK                | STUCK                | STUCK                | .                    | .                    | .
expire    | held  | creator, assignee, stranger, admin, lead    | x                    | x                    | x                    | .                    | .                    | .
comment   | held  | creator, assignee, stranger, admin, lead    | =                    | =                    | =                    | =                    | =                    | =
comment   | held  | system                                | x                    | x                    | x                    | x                    | x                    | x
edit, reassign | held | creator, assignee, admin, lead         | =                    | =                    | =                    | =                    | .                    | .
edit, reassign | held | stranger, system                       | x                    | x                    | x                    | x                    | .                    | .
*         | held  | viewer                                | x                    | x                    | x                    | x                    | x                    | x
`;

const PAYLOAD: Record<string, JsonObject> = {
  edit: { title: "Another title" },
  reassign: { assignee_id: "bea" },
};

function decided(status: string, action: string, actor: string, task: Partial<Task> = {}, facts = {}) {
  const at = taskIn(board, status, {
    assigned_to: "assignee",
    due_at: NOW - 1,
    due_action: "expire",
    ...task,
  });
  const who = ACTORS[actor];
  if (!who) throw new Error(`unknown actor ${actor}`);
  return decideRequest(
    board,
    situationOf(board, at, who, { facts: { assignee_works_here: true, ...facts } }),
    {
      action,
      comment: "because",
      ...(PAYLOAD[action] && { payload: PAYLOAD[action] }),
    },
  );
}

testLifecycle({
  lifecycle: board,
  actors: ACTORS,
  grid: GRID,
  decide: ({ status, action, actor, setup }) =>
    decided(status, action, actor, { assigned_to: setup === "free" ? null : "assignee" }),
});

describe("the board's rules", () => {
  const waiting = { open_blockers: 1 };
  test.each([
    ["NEW", "start", "assignee", waiting, "UNRESOLVED_BLOCKERS"],
    ["NEW", "claim", "stranger", { ...waiting, assigned_to: null }, "UNRESOLVED_BLOCKERS"],
    ["BLOCKED", "resume", "assignee", waiting, "UNRESOLVED_BLOCKERS"],
    ["STUCK", "resume", "assignee", waiting, "UNRESOLVED_BLOCKERS"],
    ["STUCK", "take_over", "stranger", waiting, "UNRESOLVED_BLOCKERS"],
    ["NEW", "claim", "creator", { private: true, assigned_to: null }, "NOT_PUBLIC"],
    ["NEW", "expire", "system", { due_at: NOW + 1 }, "NOT_DUE"],
    ["IN_PROGRESS", "expire", "system", { due_at: NOW + 1 }, "NOT_DUE"],
    ["BLOCKED", "expire", "system", { due_at: NOW + 1 }, "NOT_DUE"],
  ])("%s --%s--> by %s with %o is refused as %s", (status, action, actor, task, code) => {
    expect(decided(status, action, actor, task)).toMatchObject({ kind: "refused", code });
  });

  test("the refusal for blockers names them and those that will never be done", () => {
    const blockers = [
      { id: "t-1", status: "IN_PROGRESS" },
      { id: "t-2", status: "CANCELLED", final: true },
    ];
    expect(decided("NEW", "start", "assignee", { open_blockers: 2 }, { blockers })).toMatchObject({
      code: "UNRESOLVED_BLOCKERS",
      detail:
        "It waits for t-1 (IN_PROGRESS), t-2 (CANCELLED). t-2 will never be done: cancel or re-create this task.",
      params: { blockers },
    });
  });

  test.each(Object.keys(board.actions).filter((action) => action !== "expire"))(
    "%s without a comment is refused",
    (action) => {
      const situation = situationOf(board, taskIn(board, "NEW"), member("stranger", ["agent"]));
      expect(
        decideRequest(board, situation, { action, comment: "  ", payload: PAYLOAD[action] ?? {} }),
      ).toMatchObject({
        code: "COMMENT_REQUIRED",
      });
    },
  );

  test.each([
    ["NEW", "claim", "stranger", "claimed"],
    ["IN_PROGRESS", "escalate", "stranger", "escalated"],
    ["STUCK", "take_over", "stranger", "taken_over"],
    ["NEW", "expire", "system", "deadline_expired"],
    ["IN_PROGRESS", "complete", "assignee", "status_changed"],
    ["DONE", "comment", "stranger", "commented"],
  ])("%s --%s--> by %s is journalled as %s", (status, action, actor, type) => {
    const task = action === "claim" ? { assigned_to: null } : {};
    expect(decided(status, action, actor, task)).toMatchObject({ event: { type, action, from: status } });
  });
});

describe("the board's deadlines", () => {
  const minute = 60_000;
  test.each([
    ["NEW", "claim", "stranger", { assigned_to: null }, NOW + 1440 * minute],
    ["IN_PROGRESS", "block", "assignee", {}, NOW + 2880 * minute],
    ["IN_PROGRESS", "release", "assignee", {}, NOW + 120 * minute],
    ["IN_PROGRESS", "complete", "assignee", {}, null],
    ["NEW", "cancel", "creator", {}, null],
    ["NEW", "expire", "system", {}, null],
  ])("%s --%s--> by %s with %o sets the deadline to %s", (status, action, actor, task, due_at) => {
    expect(decided(status, action, actor, task)).toMatchObject({
      timer: due_at === null ? null : { due_at, due_action: "expire" },
    });
  });

  test("a comment leaves the deadline alone", () => {
    expect(decided("IN_PROGRESS", "comment", "stranger")).toMatchObject({ timer: "keep" });
  });

  test("a workspace sets its own deadlines, in fractions of minutes too", () => {
    const settings = { status_deadlines: { IN_PROGRESS: 0.5 } };
    const situation = situationOf(board, taskIn(board, "NEW"), member("a", ["agent"]), { settings });
    expect(decideRequest(board, situation, { action: "claim", comment: "mine" })).toMatchObject({
      timer: { due_at: NOW + 30_000 },
    });
  });

  test("expire comments how many whole minutes the task was in its status, and keeps the assignee", () => {
    const decision = decided("IN_PROGRESS", "expire", "system", { entered_at: NOW - 1441.9 * minute });
    expect(decision).toMatchObject({
      event: { comment: "Status deadline expired. Was in IN_PROGRESS for 1441 minutes." },
    });
    expect(decision.kind === "moved" && "assigned_to" in decision.patch).toBe(false);
  });
});

test("a new task is NEW, even with an assignee, and its deadline runs", () => {
  const input = board.creation.input.parse({
    title: "Write it",
    description: "*all*",
    assignee_id: "ann",
    priority: "high",
  });
  const view = {
    input,
    actor: member("cat", ["agent"]),
    settings: board.settings.parse({}),
    facts: { assignee_works_here: true },
    now: NOW,
  };
  const place = { id: "1", org_id: "main", project_id: "main", open_blockers: 0 };
  expect(decideCreation(board, view, draftOf(board, view), place)).toMatchObject({
    kind: "created",
    task: {
      status: "NEW",
      assigned_to: "ann",
      created_by: "cat",
      priority: 1,
      row_version: 1,
      due_at: NOW + 7_200_000,
    },
  });
});

test("a task is not created for an assignee outside the workspace", () => {
  const input = board.creation.input.parse({ title: "Write it", description: "all", assignee_id: "zoe" });
  const view = {
    input,
    actor: member("cat", ["agent"]),
    settings: board.settings.parse({}),
    facts: { assignee_works_here: false },
    now: NOW,
  };
  const place = { id: "1", org_id: "main", project_id: "main", open_blockers: 0 };
  expect(decideCreation(board, view, draftOf(board, view), place)).toMatchObject({
    kind: "refused",
    code: "VALIDATION_ERROR",
  });
});
