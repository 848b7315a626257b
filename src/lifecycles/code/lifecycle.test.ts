import { describe, expect, test } from "vitest";
import { decideCreation, draftOf } from "../../core/index.ts";
import type { Actor, JsonObject, Task } from "../../core/index.ts";
import { testLifecycle } from "../../../test/support/lifecycle-grid.ts";
import {
  decideRequest,
  member,
  NOW,
  situationOf,
  SYSTEM,
  taskIn,
  outcomeOf,
} from "../../../test/support/situation.ts";
import { code } from "./lifecycle.ts";

const ACTORS: Record<string, Actor> = {
  holder: member("holder", ["worker"], { kind: "worker" }),
  zombie: member("zombie", ["worker"], { kind: "worker" }),
  human: member("human", ["lead"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

const PAYLOAD: Record<string, JsonObject> = {
  start: { worktree: "/w/1", branch: "pawl/1" },
  record_merge: { commit: "a".repeat(40) },
  complete: { commit: "abc123" },
  retry: { error: "merge conflict" },
  fail: { error: "no such file" },
  block: { blocker_id: "b1" },
  clear_blocker: { hold_id: "h1" },
  report_obstacle: { description: "the API is down" },
  blocker_failed: { reason: "b1 ended without success." },
  doom: { reason: "b1 ended without success." },
  replace_blocker: { blocker_id: "b1", replacement_id: "b2" },
};

// "holder" has the lease, if any, and "zombie" a stale token; attempt 0 of 3; all timers are due.
const GRID = `
action        | setup | who                   | ready      | claimed     | in_progress | blocked    | completed | failed
claim         |       | holder, zombie        | claimed    | .           | .           | .          | .         | .
claim         |       | system                | x          | .           | .           | .          | .         | .
start         |       | holder                | LEASE_LOST | in_progress | .           | LEASE_LOST | .         | .
record_merge  |       | holder                | LEASE_LOST | .           | =           | LEASE_LOST | .         | .
complete      |       | holder                | LEASE_LOST | .           | completed   | LEASE_LOST | .         | .
retry         |       | holder                | LEASE_LOST | .           | claimed     | LEASE_LOST | .         | .
fail          |       | holder                | LEASE_LOST | .           | failed      | LEASE_LOST | .         | .
block         |       | holder                | LEASE_LOST | .           | blocked     | LEASE_LOST | .         | .
release       |       | holder                | LEASE_LOST | ready       | .           | LEASE_LOST | .         | .
start, record_merge, complete, retry, fail, block, release | | zombie | LEASE_LOST | LEASE_LOST | LEASE_LOST | LEASE_LOST | .  | .
start, release |      | system                | .          | LEASE_TOKEN_REQUIRED | LEASE_LOST | . | .         | .
record_merge, complete, retry, fail, block | | system | .          | LEASE_LOST  | LEASE_TOKEN_REQUIRED | . | .         | .
unblock       |       | system                | .          | .           | .           | ready      | .         | .
claim_timeout |       | system                | .          | ready       | .           | .          | .         | .
lease_lost    |       | system                | .          | .           | claimed     | .          | .         | .
report_stuck  |       | system                | .          | .           | =           | .          | .         | .
comment       |       | holder, zombie, human | =          | =           | =           | =          | =         | =
comment       |       | system                | x          | x           | x           | x          | x         | x
report_obstacle |     | holder, zombie, human | .          | .           | =           | .          | .         | .
report_obstacle |     | system                | .          | .           | x           | .          | .         | .
comment, report_obstacle | | viewer           | x          | x           | x           | x          | x         | x
blocker_failed, doom, replace_blocker | | system | .       | .           | .           | =          | .         | .
blocker_failed, doom, replace_blocker | | holder, zombie, human, viewer | x | x | x | x | x         | x
clear_blocker |       | holder, zombie, human | .          | .           | .           | =          | .         | .
clear_blocker |       | system                | .          | .           | .           | x          | .         | .
clear_blocker |       | viewer                | x          | x           | x           | x          | x         | x
unblock, claim_timeout, lease_lost, report_stuck | | holder, zombie, human, viewer | x | x | x | x | x   | x
claim, start, record_merge, complete, retry, fail, block, release | | human, viewer | x | x | x | x | x                   | x
`;

type Twist = {
  task?: Partial<Task>;
  data?: JsonObject;
  payload?: JsonObject;
  holds?: JsonObject[];
  named_blocker?: JsonObject | null;
  settings?: JsonObject;
};

function decided(
  status: string,
  action: string,
  who: string,
  {
    task,
    data,
    payload,
    holds,
    named_blocker = { final: false, waits_for_this: false },
    settings = {},
  }: Twist = {},
) {
  const leased = status === "claimed" || status === "in_progress";
  const at = taskIn(code, status, {
    data: { max_attempts: 3, auto_unblock: true, ...data },
    lease: leased ? { token: "good", holder: "holder", until: NOW, heartbeat_at: NOW - 61_000 } : null,
    entered_at: NOW - 61 * 60_000,
    ...task,
  });
  const facts = { holds: holds ?? [{ id: "h1", kind: "blocker" }], named_blocker };
  return decideRequest(code, situationOf(code, at, ACTORS[who] as Actor, { facts, settings }), {
    action,
    payload: payload ?? PAYLOAD[action],
    comment: "because",
    lease_token: who === "holder" ? "good" : who === "zombie" ? "old" : null,
  });
}

testLifecycle({
  lifecycle: code,
  actors: ACTORS,
  grid: GRID,
  decide: ({ status, action, actor }) => decided(status, action, actor),
});

describe("the rules of code", () => {
  test("allow exactly the transitions of the seed", () => {
    const MATRIX = {
      ready: ["claimed"],
      claimed: ["in_progress", "ready"],
      in_progress: ["blocked", "claimed", "completed", "failed"],
      blocked: ["ready"],
      completed: [],
      failed: [],
    };
    const drawn = Object.keys(code.statuses).map((from) => {
      const targets = code.rules
        .filter((rule) => rule.from === from && rule.to !== undefined)
        .map((rule) => rule.to);
      return [from, [...new Set(targets)].sort()];
    });
    expect(Object.fromEntries(drawn)).toEqual(MATRIX);
  });

  test.each<[string, string, string, Twist, string]>([
    ["ready", "claim", "holder", { task: { available_at: NOW + 1 } }, "NOT_YET_AVAILABLE"],
    ["in_progress", "complete", "holder", { payload: {} }, "VALIDATION_ERROR"],
    ["in_progress", "record_merge", "holder", { payload: { commit: "main" } }, "VALIDATION_ERROR"],
    ["in_progress", "record_merge", "holder", { payload: { commit: "--all" } }, "VALIDATION_ERROR"],
    ["in_progress", "complete", "holder", { payload: { commit: "a", exit_code: 1 } }, "VALIDATION_ERROR"],
    ["in_progress", "retry", "holder", { payload: { error: "x", recoverable: false } }, "NOT_RECOVERABLE"],
    ["in_progress", "retry", "holder", { task: { attempt: 3 } }, "ATTEMPTS_EXHAUSTED"],
    ["in_progress", "retry", "holder", { task: { attempt: 3 }, data: { max_attempts: 5 } }, "claimed"],
    ["in_progress", "fail", "holder", { payload: { error: "x", recoverable: true } }, "ATTEMPTS_LEFT"],
    [
      "in_progress",
      "fail",
      "holder",
      { payload: { error: "x", recoverable: true }, task: { attempt: 3 } },
      "failed",
    ],
    ["in_progress", "block", "holder", { payload: {} }, "VALIDATION_ERROR"],
    ["in_progress", "block", "holder", { named_blocker: null }, "NOT_FOUND"],
    ["in_progress", "block", "holder", { named_blocker: { final: true } }, "BLOCKER_FINISHED"],
    ["in_progress", "block", "holder", { named_blocker: { waits_for_this: true } }, "CYCLIC_DEPENDENCY"],
    [
      "in_progress",
      "retry",
      "holder",
      { payload: { error: "stopped", interrupted: true }, task: { attempt: 3 } },
      "claimed",
    ],
    ["blocked", "unblock", "system", { task: { open_blockers: 1 } }, "UNRESOLVED_BLOCKERS"],
    ["blocked", "unblock", "system", { task: { open_holds: 1 } }, "OPEN_HOLDS"],
    ["blocked", "clear_blocker", "human", { holds: [] }, "NOT_FOUND"],
    [
      "claimed",
      "claim_timeout",
      "system",
      { task: { due_at: NOW + 1, due_action: "claim_timeout" } },
      "NOT_DUE",
    ],
    ["in_progress", "lease_lost", "system", { settings: { lease_seconds: 62 } }, "NOT_DUE"],
    ["in_progress", "lease_lost", "system", { task: { attempt: 3 } }, "failed"],
    ["in_progress", "report_stuck", "system", { settings: { progress_timeout_minutes: 62 } }, "NOT_DUE"],
    ["in_progress", "report_stuck", "system", { task: { needs_attention: true } }, "NOT_DUE"],
  ])("%s --%s--> by %s with %o is %s", (status, action, who, twist, expected) => {
    expect(outcomeOf(decided(status, action, who, twist), status)).toBe(expected);
  });

  test("a lost lease clears the worker and makes claim_timeout due, which counts the attempt", () => {
    expect(decided("in_progress", "lease_lost", "system")).toMatchObject({
      to: "claimed",
      patch: { data: { worker: null } },
      timer: { due_at: NOW, due_action: "claim_timeout" },
      lease: "close",
    });
    const orphaned = { task: { lease: null, due_at: NOW, due_action: "claim_timeout", entered_at: NOW } };
    expect(decided("claimed", "claim_timeout", "system", orphaned)).toMatchObject({
      to: "ready",
      patch: { attempt: 1 },
    });
  });

  test("claim_timeout after the last attempt returns the task to ready and sets needs_attention", () => {
    expect(decided("claimed", "claim_timeout", "system", { task: { attempt: 2 } })).toMatchObject({
      to: "ready",
      patch: { attempt: 3, needs_attention: true },
    });
  });

  test("a retry keeps the lease and counts an attempt; a release counts none", () => {
    expect(decided("in_progress", "retry", "holder")).toMatchObject({
      patch: { attempt: 1, data: { claimed_at: NOW } },
    });
    expect(decided("in_progress", "retry", "holder")).toMatchObject({ lease: "keep" });
    expect(decided("claimed", "release", "holder")).not.toHaveProperty("patch.attempt");
  });

  test("a worker that stops returns its task without counting an attempt", () => {
    const payload = { error: "the worker stops", interrupted: true };
    expect(decided("in_progress", "retry", "holder", { payload })).not.toHaveProperty("patch.attempt");
    expect(decided("in_progress", "retry", "holder", { payload })).toMatchObject({ lease: "keep" });
  });

  test("a failed blocker is recorded on its dependents, which then need attention", () => {
    const decision = decided("blocked", "blocker_failed", "system");
    expect(decision).toMatchObject({ patch: { needs_attention: true } });
    expect(decision).toMatchObject({ patch: { data: { blocked_reason: "b1 ended without success." } } });
    expect(decided("blocked", "doom", "system")).toMatchObject({
      patch: { data: { blocked_reason: expect.stringContaining("would have failed with it") as string } },
    });
  });

  test("start, complete and clear_blocker reset needs_attention", () => {
    const flagged = { task: { needs_attention: true } };
    for (const [status, action, who] of [
      ["claimed", "start", "holder"],
      ["in_progress", "complete", "holder"],
      ["blocked", "clear_blocker", "human"],
    ] as const) {
      expect(decided(status, action, who, flagged)).toMatchObject({ patch: { needs_attention: false } });
    }
  });

  test("reporting a stuck task sets the timer back to its lease", () => {
    expect(decided("in_progress", "report_stuck", "system")).toMatchObject({
      patch: { needs_attention: true },
      timer: { due_action: "lease_lost" },
    });
  });

  test("a described blocker becomes a task, or a hold if auto_unblock is off", () => {
    const payload = { description: "the API is down" };
    expect(decided("in_progress", "block", "holder", { payload })).toMatchObject({
      patch: { open_blockers: 1 },
      lease: "close",
      effects: [{ kind: "add_blocker", description: "the API is down" }],
    });
    expect(
      decided("in_progress", "block", "holder", { payload, data: { auto_unblock: false } }),
    ).toMatchObject({
      patch: { open_holds: 1, needs_attention: true },
      effects: [{ kind: "place_hold" }],
    });
  });
});

test.each([
  [0, "ready"],
  [1, "blocked"],
])("a new task with %i open blockers is %s", (open_blockers, status) => {
  const view = {
    input: code.creation.input.parse({ title: "Add a flag", max_attempts: 5 }),
    actor: member("human", ["lead"]),
    settings: code.settings.parse({}),
    facts: {},
    now: NOW,
  };
  const place = { id: "1", org_id: "main", project_id: "main", open_blockers };
  expect(decideCreation(code, view, draftOf(code, view), place)).toMatchObject({
    task: { status, data: { max_attempts: 5 } },
  });
});
