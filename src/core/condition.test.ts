import { describe, expect, test } from "vitest";
import { z } from "zod";
import { check } from "./check/check.ts";
import { refuse } from "./decision.ts";
import { defineLifecycle } from "./define-lifecycle.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { PawlError } from "./problems.ts";
import { decideRequest, member, situationOf, taskIn, outcomeOf } from "../../test/support/situation.ts";

const welder = member("wes", ["agent"], { skill_level: 3, specializations: ["welding"] });

/** A lifecycle of repairs with a pool; each test changes one part of it. */
function repairs(changes: Record<string, unknown> = {}) {
  return defineLifecycle({
    name: "repairs",
    version: 1,
    summary: "",
    data: z.object({ trade: z.string().nullable() }),
    settings: z.object({ min_skill: z.number().default(3) }),
    statuses: { open: {}, taken: {}, done: { final: true } },
    actions: { take: {}, finish: {} },
    creation: {
      input: z.object({}),
      to: [{ status: "open" }],
      draft: () => ({ title: "", data: { trade: null } }),
    },
    rules: [
      { action: "take", from: "open", to: "taken", who: "anyone", guards: ["trade", "free"] },
      { action: "finish", from: "taken", to: "done", who: "anyone" },
    ],
    guards: {
      trade: {
        where: { field: "data.trade", null_or_in: "actor.specializations" },
        refusal: () => refuse("WRONG_TRADE", "Another trade."),
      },
      free: { where: { field: "assigned_to", is: null }, refusal: () => refuse("TAKEN", "Taken.") },
      lucky: ({ now }: { now: number }) => now > 0 || refuse("UNLUCKY", "Not today."),
    },
    pool: { action: "take", from: "open" },
    ...changes,
  } as never);
}

function taking(lifecycle: Lifecycle = repairs(), more: object = {}, actor = welder): string {
  const task = taskIn(lifecycle, "open", { data: { trade: null }, ...more });
  return outcomeOf(decideRequest(lifecycle, situationOf(lifecycle, task, actor), { action: "take" }), "open");
}

describe("a condition that guards the pool's action", () => {
  test("is a guard with its own refusal", () => {
    expect(taking()).toBe("taken");
    expect(taking(repairs(), { data: { trade: "welding" } })).toBe("taken");
    expect(taking(repairs(), { data: { trade: "painting" } })).toBe("WRONG_TRADE");
    expect(taking(repairs(), { assigned_to: "ann" })).toBe("TAKEN");
  });

  test("is a condition of the pool without being listed there", () => {
    expect(repairs().pool?.where).toEqual([
      { field: "data.trade", null_or_in: "actor.specializations" },
      { field: "assigned_to", is: null },
    ]);
  });

  test("is one only if every rule of the action has it", () => {
    const take = { action: "take", from: "open", to: "taken", who: "anyone" };
    const rules = [
      { ...take, guards: ["trade", "free"] },
      { ...take, guards: ["free"] },
      { action: "finish", from: "taken", to: "done", who: "anyone" },
    ];
    expect(repairs({ rules }).pool?.where).toEqual([{ field: "assigned_to", is: null }]);
  });
});

test("a condition that only the pool declares also guards its action", () => {
  const pool = {
    action: "take",
    from: "open",
    where: [{ setting: "min_skill", at_most: "actor.skill_level" }],
  };
  expect(taking(repairs({ pool }))).toBe("taken");
  expect(taking(repairs({ pool }), {}, { ...welder, skill_level: 2 })).toBe("INVALID_TRANSITION");
  expect(taking(repairs({ pool }), {}, { ...welder, skill_level: null })).toBe("INVALID_TRANSITION");
});

describe("check", () => {
  const rules = (guards: string[]) => [
    { action: "take", from: "open", to: "taken", who: "anyone", guards },
    { action: "finish", from: "taken", to: "done", who: "anyone" },
  ];

  test("finds nothing if the pool's conditions cover all guards of its action", () => {
    expect(check(repairs({ rules: rules(["trade", "free", "available_now", "no_holds"]) })).findings).toEqual(
      [],
    );
  });

  test("reports a guard of the pool's action that is not a condition", () => {
    expect(check(repairs({ rules: rules(["free", "lucky"]) })).findings).toEqual([
      {
        level: "warning",
        kind: "pool",
        message:
          'the pool offers tasks that "take" may refuse: guard "lucky" is not a condition; declare it as one ({ where, refusal }), or list it in "checked_on_claim"',
        path: [],
      },
    ]);
  });

  test("accepts such a guard that the pool lists", () => {
    const pool = { action: "take", from: "open", checked_on_claim: ["lucky"] };
    expect(check(repairs({ pool, rules: rules(["free", "lucky"]) })).findings).toEqual([]);
  });
});

test.each([
  [
    {
      guards: {
        trade: { where: { field: "data.trad", null_or_in: "actor.specializations" }, refusal: () => true },
      },
    },
    'the condition of guard "trade" names the unknown field "data.trad"; did you mean "data.trade"?',
  ],
  [
    { pool: { action: "take", from: "open", checked_on_claim: ["luck"] } },
    'the pool\'s checked_on_claim names the unknown guard "luck"',
  ],
])("defineLifecycle reports a mistake in %o", (changes, message) => {
  let thrown: PawlError | undefined;
  try {
    repairs(changes);
  } catch (error) {
    thrown = error as PawlError;
  }
  expect(thrown?.params.mistakes).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
});
