import { describe, expect, test } from "vitest";
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
  creator: member("creator", ["agent"]),
  reviewer: member("reviewer", ["reviewer"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

const PAYLOAD: Record<string, JsonObject> = {
  start: { worktree: "/w/1", branch: "pawl/1" },
  record_merge: { commit: "a".repeat(40) },
  record_usage: {
    run: 1,
    agent: "claude",
    input_tokens: 1,
    cached_tokens: 0,
    output_tokens: 1,
    cost_usd: 0.5,
  },
  complete: { commit: "abc123" },
  retry: { error: "merge conflict" },
  fail: { error: "no such file" },
  block: { blocker_id: "b1" },
  clear_blocker: { hold_id: "h1" },
  report_obstacle: { description: "the API is down" },
  blocker_failed: { reason: "b1 ended without success." },
  doom: { reason: "b1 ended without success." },
  replace_blocker: { blocker_id: "b1", replacement_id: "b2" },
  withdraw: { reason: "not needed" },
  edit: { title: "Another title" },
  request_review: { branch: "pawl/1", commit: "a".repeat(40) },
};

const ALL_ON = { operator_controls: true, review: true };
/** With the work approved, the basic actions are the same with and without the extensions. */
const APPROVED = {
  branch: "pawl/1",
  commit: "a".repeat(40),
  pull_request: null,
  state: "approved",
  comment: null,
};

// "holder" has the lease, if any, and "zombie" a stale token; attempt 0 of 3; all timers are due.
// "on": with every extension. A paused task has a hold of that kind.
const GRID = `
action        | setup | who                   | ready      | claimed     | in_progress | review     | blocked    | completed | failed
claim         |       | holder, zombie        | claimed    | .           | .           | .          | .          | .         | .
claim         |       | system                | x          | .           | .           | .          | .          | .         | .
start         |       | holder                | LEASE_LOST | in_progress | .           | LEASE_LOST | LEASE_LOST | .         | .
record_merge  |       | holder                | LEASE_LOST | .           | =           | LEASE_LOST | LEASE_LOST | .         | .
record_usage  |       | holder                | LEASE_LOST | .           | =           | LEASE_LOST | LEASE_LOST | .         | .
complete      |       | holder                | LEASE_LOST | .           | completed   | LEASE_LOST | LEASE_LOST | .         | .
retry         |       | holder                | LEASE_LOST | .           | claimed     | LEASE_LOST | LEASE_LOST | .         | .
fail          |       | holder                | LEASE_LOST | .           | failed      | LEASE_LOST | LEASE_LOST | .         | .
block         |       | holder                | LEASE_LOST | .           | blocked     | LEASE_LOST | LEASE_LOST | .         | .
release       |       | holder                | LEASE_LOST | ready       | .           | LEASE_LOST | LEASE_LOST | .         | .
start, record_merge, record_usage, complete, retry, fail, block, release | | zombie | LEASE_LOST | LEASE_LOST | LEASE_LOST | LEASE_LOST | LEASE_LOST | .  | .
start, release |      | system                | .          | LEASE_TOKEN_REQUIRED | LEASE_LOST | .          | . | .         | .
record_merge, record_usage, complete, retry, fail, block | | system | .          | LEASE_LOST  | LEASE_TOKEN_REQUIRED | .          | . | .         | .
unblock       |       | system                | .          | .           | .           | .          | ready      | .         | .
claim_timeout |       | system                | .          | ready       | .           | .          | .          | .         | .
lease_lost    |       | system                | .          | .           | claimed     | .          | .          | .         | .
report_stuck  |       | system                | .          | .           | =           | .          | .          | .         | .
comment       |       | holder, zombie, human, creator, reviewer | =          | =           | =           | =          | =          | =         | =
comment       |       | system                | x          | x           | x           | x          | x          | x         | x
report_obstacle |     | holder, zombie, human, creator, reviewer | .          | .           | =           | .          | .          | .         | .
report_obstacle |     | system                | .          | .           | x           | .          | .          | .         | .
comment, report_obstacle | | viewer           | x          | x           | x           | x          | x          | x         | x
blocker_failed, doom, replace_blocker | | system | .       | .           | .           | .          | =          | .         | .
blocker_failed, doom, replace_blocker | | holder, zombie, human, creator, reviewer, viewer | x | x | x | x          | x | x         | x
clear_blocker |       | holder, zombie, human, creator, reviewer | .          | .           | .           | .          | =          | .         | .
clear_blocker |       | system                | .          | .           | .           | .          | x          | .         | .
clear_blocker |       | viewer                | x          | x           | x           | x          | x          | x         | x
unblock, claim_timeout, lease_lost, report_stuck | | holder, zombie, human, creator, reviewer, viewer | x | x | x | x          | x | x   | x
claim, start, record_merge, record_usage, complete, retry, fail, block, release | | human, creator, reviewer, viewer | x | x | x | x | x | x                   | x
withdraw, edit, pause |   | human                 | SETTING_OFF | .          | .           | SETTING_OFF | SETTING_OFF | .        | .
withdraw      | on    | human, creator        | failed     | .           | .           | failed      | failed      | .        | .
edit, pause   | on    | human, creator        | =          | .           | .           | =           | =           | .        | .
withdraw, edit, pause | on | holder, zombie, system, reviewer | x | .      | .           | x           | x           | .        | .
withdraw, edit, pause, interrupt, resume | on | viewer | x | x           | x           | x           | x           | x        | x
interrupt     |       | human                 | .          | .           | SETTING_OFF | .           | .           | .        | .
interrupt     | on    | human, creator        | .          | .           | claimed     | .           | .           | .        | .
interrupt     | on    | holder, zombie, system, reviewer | . | .         | x           | .           | .           | .        | .
resume        |       | human                 | SETTING_OFF | SETTING_OFF | .          | SETTING_OFF | SETTING_OFF | .        | .
resume        | on    | human, creator        | =          | =           | .           | =           | =           | .        | .
resume        | on    | holder, zombie, system, reviewer | x | x         | .           | x           | x           | .        | .
request_review |      | holder                | LEASE_LOST | .           | SETTING_OFF | LEASE_LOST  | LEASE_LOST  | .        | .
request_review | on   | holder                | LEASE_LOST | .           | review      | LEASE_LOST  | LEASE_LOST  | .        | .
request_review | on   | zombie                | LEASE_LOST | LEASE_LOST  | LEASE_LOST  | LEASE_LOST  | LEASE_LOST  | .        | .
request_review | on   | system                | .          | LEASE_LOST  | LEASE_TOKEN_REQUIRED | .  | .           | .        | .
request_review | on   | human, creator, reviewer, viewer | x | x         | x           | x           | x           | x        | x
approve, request_changes |    | human, reviewer | .        | .           | .           | SETTING_OFF | .           | .        | .
approve, request_changes | on | human, reviewer | .        | .           | .           | ready       | .           | .        | .
approve, request_changes | on | holder, zombie, creator, viewer | x | x   | x           | x           | x           | x        | x
approve, request_changes | on | system        | .          | .           | .           | x           | .           | .        | .
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
    created_by: "creator",
    ...task,
  });
  const usualHolds = action === "resume" ? [{ id: "p1", kind: "paused" }] : [{ id: "h1", kind: "blocker" }];
  const facts = { holds: holds ?? usualHolds, named_blocker };
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
  decide: ({ status, action, actor, setup }) =>
    decided(status, action, actor, setup === "on" ? { settings: ALL_ON } : {}),
});

const EXTENSION_GUARDS = ["operator_controls_on", "may_resume", "review_on"];

/** The targets of each status, without the rules that have one of these guards. */
function transitions(without: readonly string[]): Record<string, string[]> {
  const rules = code.rules.filter(({ guards = [] }) => !guards.some((guard) => without.includes(guard)));
  const drawn = Object.keys(code.statuses).map((status) => {
    const targets = rules.flatMap(({ from, to }) => (to && [from].flat().includes(status) ? [to] : []));
    return [status, [...new Set(targets)].sort()] as const;
  });
  return Object.fromEntries(drawn);
}

describe("the rules of code", () => {
  test("allow exactly the transitions of the seed if every extension is off", () => {
    const MATRIX: Record<string, string[]> = {
      ready: ["claimed"],
      claimed: ["in_progress", "ready"],
      in_progress: ["blocked", "claimed", "completed", "failed"],
      blocked: ["ready"],
      completed: [],
      failed: [],
    };
    expect(transitions(EXTENSION_GUARDS)).toEqual({ ...MATRIX, review: [] });
    expect(transitions([])).toEqual({
      ...MATRIX,
      ready: ["claimed", "failed"],
      in_progress: [...MATRIX.in_progress!, "review"],
      review: ["failed", "ready"],
      blocked: ["failed", "ready"],
    });
  });

  test("refuse every action of an extension that is off, and name its setting", () => {
    const guarded = code.rules.filter(({ guards }) => guards?.some((one) => EXTENSION_GUARDS.includes(one)));
    expect([...new Set(guarded.map(({ action }) => action))].sort()).toEqual(
      [
        "withdraw",
        "interrupt",
        "pause",
        "resume",
        "edit",
        "request_review",
        "approve",
        "request_changes",
      ].sort(),
    );
    for (const { action, from } of guarded)
      for (const status of [from].flat()) {
        const who = action === "request_review" ? "holder" : "human";
        expect(decided(status, action, who)).toMatchObject({
          code: "SETTING_OFF",
          detail: expect.stringMatching(
            /needs the setting (operator_controls|review), which is off/,
          ) as string,
        });
      }
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
    ["ready", "claim", "holder", { task: { open_holds: 1 } }, "OPEN_HOLDS"],
    ["blocked", "clear_blocker", "human", { holds: [{ id: "p1", kind: "paused" }] }, "NOT_FOUND"],
    ["ready", "withdraw", "human", { settings: ALL_ON, payload: {} }, "VALIDATION_ERROR"],
    ["ready", "edit", "human", { settings: ALL_ON, payload: {} }, "VALIDATION_ERROR"],
    [
      "ready",
      "pause",
      "human",
      { settings: ALL_ON, holds: [{ id: "p1", kind: "paused" }] },
      "ALREADY_PAUSED",
    ],
    ["ready", "resume", "human", { settings: ALL_ON, holds: [] }, "NOT_PAUSED"],
    ["review", "approve", "human", { settings: ALL_ON, task: { open_holds: 1 } }, "OPEN_HOLDS"],
    ["review", "approve", "human", { settings: ALL_ON, data: { review: false } }, "SETTING_OFF"],
    ["review", "approve", "human", { data: { review: true } }, "ready"],
    ["in_progress", "complete", "holder", { settings: ALL_ON }, "REVIEW_REQUIRED"],
    ["in_progress", "record_merge", "holder", { settings: ALL_ON }, "REVIEW_REQUIRED"],
    [
      "in_progress",
      "complete",
      "holder",
      { settings: ALL_ON, data: { review_request: APPROVED } },
      "completed",
    ],
    ["in_progress", "record_merge", "holder", { settings: ALL_ON, data: { review_request: APPROVED } }, "="],
    [
      "in_progress",
      "complete",
      "holder",
      { settings: ALL_ON, data: { merge_candidates: ["abc123"] } },
      "completed",
    ],
    ["in_progress", "complete", "holder", { settings: ALL_ON, data: { review: false } }, "completed"],
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

  test("a stopped task keeps its attempts, loses its lease and is held", () => {
    expect(decided("in_progress", "interrupt", "human", { settings: ALL_ON })).toMatchObject({
      to: "claimed",
      patch: { open_holds: 1, data: { worker: null, interrupted: true } },
      timer: { due_at: NOW, due_action: "claim_timeout" },
      lease: "close",
      effects: [{ kind: "place_hold", hold_kind: "paused" }],
    });
    const stopped = {
      data: { interrupted: true },
      task: { lease: null, due_at: NOW, due_action: "claim_timeout" },
    };
    const timeout = decided("claimed", "claim_timeout", "system", stopped);
    expect(timeout).toMatchObject({ to: "ready", patch: { data: { interrupted: false } } });
    expect(timeout).not.toHaveProperty("patch.attempt");
  });

  test("an approval ends with a failed attempt, and outlives a worker that stops or is lost", () => {
    const approved = { settings: ALL_ON, data: { review_request: APPROVED } };
    expect(decided("in_progress", "retry", "holder", approved)).toMatchObject({
      patch: { data: { review_request: { state: "redo", commit: APPROVED.commit } } },
    });
    for (const [action, who, twist] of [
      ["retry", "holder", { payload: { error: "stopped", interrupted: true } }],
      ["lease_lost", "system", {}],
    ] as const)
      expect(decided("in_progress", action, who, { ...approved, ...twist })).not.toHaveProperty(
        "patch.data.review_request",
      );
  });

  test("a question waits for a person also if auto_unblock is on", () => {
    const payload = { description: "Which one?", question: true };
    expect(decided("in_progress", "block", "holder", { payload })).toMatchObject({
      patch: { open_holds: 1, needs_attention: true },
      effects: [{ kind: "place_hold", hold_kind: "blocker", reason: "Which one?" }],
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
