import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "./define-lifecycle.ts";
import type { Duration } from "./lifecycle.ts";
import { PawlError } from "./problems.ts";
import { creation, rule, ticket } from "../../test/support/ticket.ts";

describe("defineLifecycle reports", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "unknown status in `to`",
      { rules: [{ ...rule, to: "doen" }] },
      'rule 1 (close from open to doen) names the unknown status "doen"; did you mean "done"?',
    ],
    [
      "unknown status in `from`",
      { rules: [rule, { ...rule, from: ["opne"] }] },
      'rule 2 (close from opne to done) names the unknown status "opne"; did you mean "open"?',
    ],
    [
      "unknown action",
      { rules: [{ ...rule, action: "clsoe" }] },
      'names the unknown action "clsoe"; did you mean "close"?',
    ],
    ["unknown name in `who`", { rules: [{ ...rule, who: "owner" }] }, 'names the unknown who "owner"'],
    [
      "guard without implementation",
      { rules: [{ ...rule, guards: ["paid"] }] },
      'rule 1 (close from open to done) names the guard "paid", which has no implementation',
    ],
    [
      "effect without implementation",
      { rules: [{ ...rule, effects: ["pay"] }] },
      'names the effect "pay", which has no implementation',
    ],
    [
      "creation with a guard without implementation",
      { creation: creation([{ status: "open", guards: ["paid"] }]) },
      'creation row 1 names the guard "paid", which has no implementation',
    ],
    [
      "creation in an unknown status",
      { creation: creation([{ status: "opened" }]) },
      'creation row 1 names the unknown status "opened"',
    ],
    [
      "rule out of a final status",
      { rules: [rule, { ...rule, from: "done", to: "open" }] },
      'rule 2 (close from done to open) leaves the final status "done"',
    ],
    [
      "unreachable status",
      { statuses: { open: {}, lost: { final: true }, done: { final: true } } },
      'status "lost" can never be reached',
    ],
    ["no way out", { statuses: { open: {}, done: {} } }, 'status "done" is not final and has no way out'],
    [
      "no way out except to itself",
      { statuses: { open: {}, done: {} }, rules: [rule, { ...rule, from: "done", to: "done" }] },
      'status "done" is not final and has no way out',
    ],
    ["action without a rule", { actions: { close: {}, open: {} } }, 'action "open" has no rule'],
    ["creation without a status", { creation: creation([]) }, "creation has no initial status"],
    ["no statuses", { statuses: {} }, "it has no status"],
    ["bad name", { name: "My Ticket" }, 'the name "My Ticket" must be kebab-case'],
    ["bad version", { version: 0 }, "the version must be a positive integer"],
    [
      "outcome `absorbed` with a target status",
      { rules: [{ ...rule, outcome: "absorbed" }, rule] },
      'has the outcome "absorbed" and so cannot lead to "done"',
    ],
    [
      "unknown fact",
      { actions: { close: { facts: ["weather"] } } },
      'action "close" names the unknown fact "weather"',
    ],
    [
      "unknown required field",
      { actions: { close: { required: { reason: "REASON_REQUIRED" } } } },
      'action "close" names the unknown input field "reason"',
    ],
    [
      "pool from an unknown status",
      { pool: { action: "close", from: "opened", where: [] } },
      'the pool names the unknown status "opened"',
    ],
    [
      "unblocks with an unknown action",
      { unblocks: { action: "free", from: "open" } },
      'unblocks names the unknown action "free"',
    ],
    [
      "rule without an actor",
      { rules: [rule, { ...rule, who: [] }] },
      'rule 2 (close from open to done) has no actor: its "who" is empty',
    ],
    [
      "rule without a status to start from",
      { rules: [rule, { ...rule, from: [] }] },
      'rule 2 (close to done) has no start: its "from" is empty',
    ],
    [
      "misspelt outcome",
      { rules: [rule, { ...rule, to: undefined, outcome: "absorbd" }] },
      'rule 2 (close from open) names the unknown outcome "absorbd"; did you mean "absorbed"?',
    ],
    [
      "success on a status that is not final",
      { statuses: { open: { success: true }, done: { final: true } } },
      'status "open" has "success" but is not final',
    ],
    [
      "pool condition on an unknown field",
      { pool: { action: "close", from: "open", where: [{ field: "asigned_to", is: null }] } },
      'condition 1 of the pool names the unknown field "asigned_to"; did you mean "assigned_to"?',
    ],
    [
      "pool condition on a value other than null",
      { pool: { action: "close", from: "open", where: [{ field: "assigned_to", is: "ann" }] } },
      "condition 1 of the pool can only require that assigned_to is null",
    ],
    [
      "pool condition on an unknown field of data",
      {
        data: z.object({ trade: z.string() }),
        pool: {
          action: "close",
          from: "open",
          where: [{ field: "data.trad", null_or_in: "actor.specializations" }],
        },
      },
      'condition 1 of the pool names the unknown field "data.trad"; did you mean "data.trade"?',
    ],
    [
      "pool condition without an operator",
      { pool: { action: "close", from: "open", where: [{ field: "private" }] } },
      'condition 1 of the pool has none of "is", "is_not", "null_or_in" and "at_most"',
    ],
    [
      "migration to an unknown status",
      { migrations: { statuses: { waiting: "opne" } } },
      'migrations map "waiting" to the unknown status "opne"; did you mean "open"?',
    ],
    [
      "migration of a status that still exists",
      { migrations: { statuses: { done: "open" } } },
      'migrations map the status "done", which still exists',
    ],
    [
      "migration to an unknown action",
      { migrations: { actions: { shut: "clsoe" } } },
      'migrations map "shut" to the unknown action "clsoe"; did you mean "close"?',
    ],
    [
      "migration of an action that still exists",
      { migrations: { actions: { close: "close" } } },
      'migrations map the action "close", which still exists',
    ],
    [
      "refusal of an unknown action",
      { wrong_status_refusals: { fly: () => null } },
      'wrong_status_refusals names the unknown action "fly"',
    ],
  ])("%s", (_, broken, message) => {
    expect(() => ticket(broken)).toThrow(message);
    expect(() => ticket(broken)).toThrow(expect.objectContaining({ code: "INVALID_LIFECYCLE" }) as PawlError);
  });

  test("all mistakes are reported together", () => {
    expect(() => ticket({ rules: [{ ...rule, to: "x", who: "y" }] })).toThrow(/"x".*"y"/);
  });

  test("a valid lifecycle is accepted and frozen", () => {
    const lifecycle = ticket();
    expect(lifecycle.rules_by_action.get("close")?.get("open")).toHaveLength(1);
    expect(Object.isFrozen(lifecycle)).toBe(true);
  });

  test("migrations are kept, and are empty by default", () => {
    const { migrations } = ticket({ migrations: { statuses: { waiting: "open" } } });
    expect(migrations).toEqual({ statuses: { waiting: "open" }, actions: {} });
    expect(ticket().migrations).toEqual({ statuses: {}, actions: {} });
  });
});

test("types catch a misspelt status, action, guard, effect and who", () => {
  const valid = {
    name: "typed",
    version: 1,
    summary: "",
    statuses: { open: {}, done: { final: true } },
    actions: { close: { input: z.object({ why: z.string() }) } },
    creation: {
      input: z.object({ title: z.string() }),
      to: [{ status: "open" as const }],
      draft: ({ input }: { input: { title: string } }) => ({ title: input.title, data: {} }),
    },
  };
  const mistakes = [
    () =>
      defineLifecycle({
        ...valid,
        rules: [
          // @ts-expect-error: no such status
          { action: "close", from: "opne", to: "done", who: "anyone" },
        ],
      }),
    () =>
      defineLifecycle({
        ...valid,
        rules: [
          // @ts-expect-error: no such action
          { action: "shut", from: "open", to: "done", who: "anyone" },
        ],
      }),
    () =>
      defineLifecycle({
        ...valid,
        rules: [
          // @ts-expect-error: unknown name in `who`
          { action: "close", from: "open", to: "done", who: "someone" },
        ],
      }),
    () =>
      defineLifecycle({
        ...valid,
        rules: [
          // @ts-expect-error: no such guard
          { action: "close", from: "open", to: "done", who: "anyone", guards: ["x"] },
        ],
      }),
    () =>
      defineLifecycle({
        ...valid,
        rules: [
          // @ts-expect-error: no such effect
          { action: "close", from: "open", to: "done", who: "anyone", effects: ["x"] },
        ],
      }),
  ];
  for (const mistake of mistakes) expect(mistake).toThrow(PawlError);

  const lifecycle = defineLifecycle({
    ...valid,
    rules: [{ action: "close", from: "open", to: "done", who: "anyone", guards: ["has_reason"] }],
    guards: {
      has_reason: ({ input, task }) => {
        const why: string | undefined = input.why;
        const status: "open" | "done" = task.status;
        return why !== undefined && status === "open"
          ? true
          : { kind: "refused", code: "X", detail: "", params: {} };
      },
    },
  });
  expect(lifecycle.name).toBe("typed");
});

test("types reject a duration with two units, and one without a unit", () => {
  const durations: Duration[] = [
    { minutes: 5 },
    { hours: "a_setting" },
    // @ts-expect-error: more than one unit
    { hours: 1, minutes: 30 },
    // @ts-expect-error: without a unit
    {},
  ];
  expect(durations).toHaveLength(4);
});
