import { describe, expect, test } from "vitest";
import { z } from "zod";
import { refuse } from "../decision.ts";
import { defineLifecycle } from "../define-lifecycle.ts";
import { check } from "./check.ts";

/** A sound pool of tasks; each test breaks one thing of it. */
function pool(broken: Record<string, unknown> = {}) {
  return defineLifecycle({
    name: "pool",
    version: 1,
    summary: "",
    facts: z.object({ weather: z.string() }),
    statuses: { free: {}, taken: {}, done: { final: true } },
    actions: { take: {}, give_back: {}, finish: {} },
    creation: { input: z.object({}), to: [{ status: "free" }], draft: () => ({ title: "", data: {} }) },
    rules: RULES,
    guards: {},
    invariants: {
      "free means nobody assigned": (task: { status: string; assigned_to: string | null }) =>
        task.status !== "free" || task.assigned_to === null,
    },
    ...broken,
  } as never);
}
const take = { action: "take", from: "free", to: "taken", who: "anyone", effects: ["assign_actor"] };
const give = { action: "give_back", from: "taken", to: "free", who: "assignee", effects: ["clear_assignee"] };
const finish = { action: "finish", from: "taken", to: "done", who: "assignee" };
const RULES = [take, give, finish];

test("a sound lifecycle has no findings", () => {
  expect(check(pool())).toMatchObject({
    lifecycle: "pool",
    findings: [],
    invariants: ["free means nobody assigned"],
  });
});

describe("check can fail:", () => {
  test("an invariant that a rule breaks, with the shortest way there", () => {
    const { findings } = check(pool({ rules: [take, { ...give, effects: [] }, finish] }));
    expect(findings).toEqual([
      {
        level: "error",
        kind: "invariant",
        message: '"free means nobody assigned" does not hold: free, owner self',
        invariant: "free means nobody assigned",
        path: [
          { action: "create", by: "creator", state: "free, owner none" },
          { action: "take", by: "self", state: "taken, owner self" },
          { action: "give_back", by: "self", state: "free, owner self" },
        ],
      },
    ]);
  });

  test("an invariant over attempts: the way leads through every one of them", () => {
    const { findings } = check(
      pool({
        rules: [take, { ...give, effects: ["clear_assignee", "count_attempt"] }, finish],
        invariants: { "three attempts at most": (task: { attempt: number }) => task.attempt <= 3 },
      }),
    );
    expect(findings[0]?.path.map((step) => step.action)).toEqual([
      "create",
      ...Array<string[]>(4).fill(["take", "give_back"]).flat(),
    ]);
  });

  test("an invariant that only one outcome of an opaque guard breaks", () => {
    const opaque = {
      actions: { take: { facts: ["weather"] }, give_back: {}, finish: {} },
      rules: [{ ...take, guards: ["sunny"], effects: [] }, take, give, finish],
      guards: {
        sunny: ({ facts }: { facts: { weather: string } }) => facts.weather === "sun" || refuse("RAIN", ""),
      },
      invariants: {
        "taken has an owner": (task: { status: string; assigned_to: unknown }) =>
          task.status !== "taken" || task.assigned_to !== null,
      },
    };
    expect(check(pool(opaque)).findings).toMatchObject([{ kind: "invariant" }, { kind: "trap" }]);
  });

  test("a status that is drawn but never entered, and what follows from it", () => {
    const never = () => refuse("NEVER", "");
    const { findings } = check(
      pool({ rules: [take, give, { ...finish, guards: ["never"] }], guards: { never } }),
    );
    expect(findings).toMatchObject([
      { kind: "unreachable", message: 'no task ever gets into status "done"' },
      { kind: "dead_rule", message: "rule 3 (finish from taken to done) never fires in any situation" },
    ]);
  });

  test("a trap: a way out on paper that nobody can take", () => {
    const statuses = { free: {}, taken: {}, parked: {}, done: { final: true } };
    const actions = { take: {}, give_back: {}, finish: {}, park: {}, unpark: {} };
    const park = {
      action: "park",
      from: "taken",
      to: "parked",
      who: "assignee",
      effects: ["clear_assignee"],
    };
    const unpark = { action: "unpark", from: "parked", to: "taken", who: "assignee" };
    const { findings } = check(pool({ statuses, actions, rules: [...RULES, park, unpark] }));
    expect(findings).toMatchObject([
      {
        kind: "trap",
        message: "no way leads on to a final status from: parked, owner none",
        path: [{ action: "create" }, { action: "take" }, { action: "park" }],
      },
      { kind: "dead_rule", level: "warning" },
    ]);
  });

  test("a rule that can never be reached behind an earlier one", () => {
    expect(check(pool({ rules: [...RULES, { ...finish, who: ["assignee", "creator"] }] })).findings).toEqual(
      [],
    );
    expect(
      check(pool({ rules: [...RULES, { ...finish, guards: ["blockers_done"] }] })).findings,
    ).toMatchObject([
      {
        kind: "dead_rule",
        level: "warning",
        message:
          "rule 4 (finish from taken to done) can never be reached behind rule 3 (finish from taken to done)",
      },
    ]);
  });

  test("a fact that is read and not listed would never be loaded", () => {
    const sunny = ({ facts }: { facts: { weather: string } }) =>
      facts.weather === "sun" || refuse("RAIN", "");
    const { findings } = check(
      pool({ rules: [{ ...take, guards: ["sunny"] }, give, finish], guards: { sunny } }),
    );
    expect(findings).toMatchObject([
      {
        kind: "undeclared_fact",
        message: 'action "take" reads the fact "weather" and does not list it: it would not be loaded',
      },
    ]);
  });

  test("an invariant that throws, and a creation that does", () => {
    const burst = () => {
      throw new Error("bang");
    };
    expect(check(pool({ invariants: { "it bursts": burst } })).findings).toMatchObject([
      {
        kind: "invariant",
        invariant: "it bursts",
        message: '"it bursts" throws Error: bang: free, owner none',
      },
    ]);
    const creation = { input: z.object({}), to: [{ status: "free" }], draft: burst };
    expect(check(pool({ creation })).findings).toContainEqual(
      expect.objectContaining({ message: "the creation threw on a sample: Error: bang" }),
    );
  });

  test("an effect that throws", () => {
    const burst = () => {
      throw new Error("bang");
    };
    const rules = [{ ...take, effects: ["assign_actor", "burst"] }, take, give, finish];
    const { findings } = check(pool({ rules, effects: { burst } }));
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: "failing_effect",
        message: 'an effect of "take" threw on a sample: Error: bang',
      }),
    );
  });
});

test("a waiting task is not trapped: its blockers may be done one day", () => {
  const waiting = {
    statuses: { free: {}, taken: {}, done: { final: true } },
    rules: [{ ...take, guards: ["blockers_done"] }, give, finish],
  };
  expect(check(pool(waiting)).findings).toEqual([]);
});
