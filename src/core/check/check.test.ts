import { describe, expect, test } from "vitest";
import { z } from "zod";
import { refuse } from "../decision.ts";
import { defineLifecycle } from "../define-lifecycle.ts";
import { check } from "./check.ts";

/** A valid lifecycle with a pool; each test breaks one part of it. */
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
      "free means not assigned": (task: { status: string; assigned_to: string | null }) =>
        task.status !== "free" || task.assigned_to === null,
    },
    ...broken,
  } as never);
}
const take = { action: "take", from: "free", to: "taken", who: "anyone", effects: ["assign_actor"] };
const give = { action: "give_back", from: "taken", to: "free", who: "assignee", effects: ["clear_assignee"] };
const finish = { action: "finish", from: "taken", to: "done", who: "assignee" };
const RULES = [take, give, finish];

test("a valid lifecycle has no findings", () => {
  expect(check(pool())).toMatchObject({
    lifecycle: "pool",
    findings: [],
    invariants: ["free means not assigned"],
  });
});

describe("check reports", () => {
  test("an invariant that a rule breaks, with the shortest path to it", () => {
    const { findings } = check(pool({ rules: [take, { ...give, effects: [] }, finish] }));
    expect(findings).toEqual([
      {
        level: "error",
        kind: "invariant",
        message: '"free means not assigned" does not hold: free, owner self',
        invariant: "free means not assigned",
        path: [
          { action: "create", by: "creator", state: "free, owner none" },
          { action: "take", by: "self", state: "taken, owner self" },
          { action: "give_back", by: "self", state: "free, owner self" },
        ],
      },
    ]);
  });

  test("an invariant over attempts, with a path through every attempt", () => {
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

  test("a status that no task can reach, and the rules that never fire because of it", () => {
    const never = () => refuse("NEVER", "");
    const { findings } = check(
      pool({ rules: [take, give, { ...finish, guards: ["never"] }], guards: { never } }),
    );
    expect(findings).toMatchObject([
      { kind: "unreachable", message: 'no task can reach status "done"' },
      { kind: "dead_rule", message: "rule 3 (finish from taken to done) never fires in any situation" },
    ]);
  });

  test("a trap: the only way out is for an actor that does not exist there", () => {
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
        message: "no final status can be reached from: parked, owner none",
        path: [{ action: "create" }, { action: "take" }, { action: "park" }],
      },
      { kind: "dead_rule", level: "warning" },
    ]);
  });

  test("a rule that never fires because an earlier one comes first", () => {
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
          "rule 4 (finish from taken to done) never fires: rule 3 (finish from taken to done) comes first",
      },
    ]);
  });

  test("a fact that is read but not listed", () => {
    const sunny = ({ facts }: { facts: { weather: string } }) =>
      facts.weather === "sun" || refuse("RAIN", "");
    const { findings } = check(
      pool({ rules: [{ ...take, guards: ["sunny"] }, give, finish], guards: { sunny } }),
    );
    expect(findings).toMatchObject([
      {
        kind: "undeclared_fact",
        message:
          'action "take" reads the fact "weather" without listing it in "facts", so it is never loaded',
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

describe("check tries enough values to find", () => {
  type Seen = { task: { assigned_to: string | null; priority: number }; actor: { roles: string[] } };
  type Broken = (task: {
    attempt: number;
    private: boolean;
    needs_attention: boolean;
    assigned_to: unknown;
  }) => boolean;
  type Tried = Record<string, unknown> & { broken: Broken };
  const mark = { needs_attention: true };
  const marked = (when: (seen: never) => boolean) => ({ mark: (seen: never) => (when(seen) ? mark : {}) });
  const never: Broken = ({ needs_attention }) => needs_attention;
  const withEffect = (effects: object, more = {}): Tried => ({
    rules: [{ ...take, effects: ["assign_actor", "mark"] }, give, finish],
    effects,
    broken: never,
    ...more,
  });
  const input = (fields: object) => ({
    actions: { take: { input: z.object(fields as never) }, give_back: {}, finish: {} },
  });
  type Given = {
    input: { x: boolean; y: boolean; n: number; o: { x: boolean }; to: string | null; secret: boolean };
    facts: { weather: string };
  };
  const CASES: Record<string, Tried> = {
    "attempts beyond the counted maximum": {
      rules: [take, { ...give, effects: ["clear_assignee", "count_attempt"] }, finish],
      broken: ({ attempt }) => attempt > 100,
    },
    "an owner who is the creator": {
      ...input({ to: z.string() }),
      rules: [{ ...take, effects: ["give_to"] }, give, finish],
      effects: { give_to: ({ input }: Given) => ({ assigned_to: input.to }) },
      broken: ({ assigned_to }) => assigned_to === "creator",
    },
    "two fields that must both be off": withEffect(
      marked(({ input }: Given) => !input.x && !input.y),
      input({ x: z.boolean(), y: z.boolean() }),
    ),
    "a number that must be large": withEffect(
      marked(({ input }: Given) => input.n > 5),
      input({ n: z.number() }),
    ),
    "a field inside a field": withEffect(
      marked(({ input }: Given) => !input.o.x),
      input({ o: z.object({ x: z.boolean() }) }),
    ),
    "a field and a fact together": withEffect(
      marked(({ input, facts }: Given) => input.x && facts.weather === "creator"),
      {
        actions: {
          take: { input: z.object({ x: z.boolean().default(false) }), facts: ["weather"] },
          give_back: {},
          finish: {},
        },
      },
    ),
    "an actor without roles": withEffect(
      marked(({ actor }: Seen) => actor.roles.length === 0),
      {
        permissions: { "task.take": ["member"] },
      },
    ),
    "a priority": withEffect(marked(({ task }: Seen) => task.priority < 0)),
    "a switch of the settings": withEffect(
      marked(({ settings }: { settings: { risky: boolean } }) => settings.risky),
      {
        settings: z.object({ risky: z.boolean().default(false) }),
      },
    ),
    "an effect that tests whether a field exists": withEffect(
      marked(({ input }: Given) => !("x" in input)),
      {
        ...input({ x: z.string().optional() }),
      },
    ),
    "a private task without an owner": {
      creation: {
        input: z.object({
          secret: z.boolean().default(false),
          to: z.string().nullish(),
          a: z.boolean(),
          b: z.boolean(),
        }),
        to: [{ status: "free" }],
        draft: ({ input }: Given) => ({
          title: "",
          data: {},
          private: input.secret,
          assigned_to: input.to ?? null,
        }),
      },
      broken: ({ private: secret, assigned_to }) => secret && assigned_to === null,
    },
  };

  test.each(Object.entries(CASES))("%s", (_, { broken, ...lifecycle }) => {
    const invariants = { "it is never so": (task: never) => !broken(task) };
    expect(check(pool({ ...lifecycle, invariants })).findings).toContainEqual(
      expect.objectContaining({ kind: "invariant" }),
    );
  });
});

describe("check accepts", () => {
  test.each<[string, Record<string, unknown>]>([
    [
      "a limit of ten tries",
      {
        rules: [
          take,
          { ...give, effects: ["clear_assignee", "count_attempt"] },
          { ...finish, guards: ["tried_enough"] },
        ],
        guards: {
          tried_enough: ({ task }: { task: { attempt: number } }) => task.attempt >= 10 || refuse("NO", ""),
        },
      },
    ],
    [
      "a union as input",
      {
        actions: {
          take: {
            input: z.object({
              what: z.discriminatedUnion("kind", [
                z.object({ kind: z.literal("a"), n: z.number() }),
                z.object({ kind: z.literal("b"), s: z.string() }),
              ]),
            }),
          },
          give_back: {},
          finish: {},
        },
        rules: [{ ...take, effects: ["assign_actor", "look"] }, give, finish],
        effects: {
          look: ({ input }: { input: { what: { kind: string; n: number; s: string } } }) => ({
            priority: input.what.kind === "a" ? input.what.n : input.what.s.length,
          }),
        },
      },
    ],
    [
      "a recursive input",
      (() => {
        const node: z.ZodType = z.object({
          name: z.string(),
          get next() {
            return node.nullable();
          },
        });
        return { actions: { take: { input: z.object({ node }) }, give_back: {}, finish: {} } };
      })(),
    ],
    [
      "an absorbed command",
      {
        actions: { take: {}, give_back: {}, finish: {}, nod: {} },
        rules: [take, give, finish, { action: "nod", from: "done", who: "anyone", outcome: "absorbed" }],
      },
    ],
  ])("%s", (_, lifecycle) => {
    expect(check(pool(lifecycle)).findings).toEqual([]);
  });

  test("thirty guards that read facts, in little time", () => {
    const names = Array.from({ length: 30 }, (_, n) => `g${n}`);
    const guards = Object.fromEntries(
      names.map((name) => [
        name,
        ({ facts }: { facts: { weather: string } }) => facts.weather === name || refuse("NO", ""),
      ]),
    );
    const actions = { take: { facts: ["weather"] }, give_back: {}, finish: {} };
    expect(
      check(pool({ actions, guards, rules: [{ ...take, guards: names }, take, give, finish] })).findings,
    ).toEqual([]);
  });
});

test("a waiting task is not a trap, because its blockers may be done later", () => {
  const waiting = {
    statuses: { free: {}, taken: {}, done: { final: true } },
    rules: [{ ...take, guards: ["blockers_done"] }, give, finish],
  };
  expect(check(pool(waiting)).findings).toEqual([]);
});
