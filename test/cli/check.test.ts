import { expect, test } from "vitest";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { configWith, folderWith, pawl } from "./pawl-process.ts";

const SHIPPED = LIFECYCLES.map(({ name }) => name);

test("check without a name checks all built-in lifecycles and lists the invariants that hold", async () => {
  const { code, stdout, stderr } = await pawl(["check"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of SHIPPED)
    expect(stdout).toMatch(new RegExp(`^✓ ${name} v1: \\d+ statuses, \\d+ rules, \\d+ situations, `, "m"));
  expect(stdout).toContain("\n    ✓ available means no owner\n");
  expect(stdout).toMatch(/\n\n5 lifecycles checked: no findings\.\n$/);
});

test("check with a name checks only that lifecycle", async () => {
  const { code, stdout } = await pawl(["check", "bot-actions"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ bot-actions v1: 3 statuses, 9 rules, \d+ situations, 1 invariant holds\n/);
  expect(stdout).not.toContain("board");
});

test("check --json prints all reports in one document", async () => {
  const { code, stdout } = await pawl(["check", "--json"]);
  expect(code).toBe(0);
  const { ok, reports } = JSON.parse(stdout) as { ok: boolean; reports: { lifecycle: string }[] };
  expect(ok).toBe(true);
  expect(reports.map(({ lifecycle }) => lifecycle)).toEqual(SHIPPED);
  expect(reports[0]).toEqual({
    lifecycle: "board",
    version: 1,
    statuses: 6,
    rules: 18,
    situations: expect.any(Number) as number,
    steps: expect.any(Number) as number,
    invariants: ["work in progress has an assignee", expect.any(String)],
    findings: [],
  });
});

test("a user's lifecycle is checked beside the others, in a folder without node_modules", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith() });
  const { code, stdout, stderr } = await pawl(["check"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("✓ letters v1: 3 statuses, 3 rules,");
  expect(stdout).toContain("    ✓ a waiting letter has no assignee\n");
  expect(stdout).toContain("6 lifecycles checked (1 of pawl.config.ts): no findings.");
});

const LAID_ASIDE_AND_KEPT = `rules: [
  { action: "read", from: "waiting", to: "read", who: "anyone", effects: ["assign_actor"] },
  { action: "lay_aside", from: "read", to: "waiting", who: "assignee" },
  { action: "answer", from: "read", to: "answered", who: "assignee" },
],`;

test("a broken invariant is printed with the shortest path to it, and the exit code is 1", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith({ rules: LAID_ASIDE_AND_KEPT }) });
  const { code, stdout, stderr } = await pawl(["check", "letters"], { cwd });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^✗ letters v1: 3 statuses, 3 rules, \d+ situations, 0 of 1 invariant holds\n/);
  expect(stdout).toContain(`
    ✗ "a waiting letter has no assignee" does not hold: waiting, owner self
        1. create by creator → waiting, owner none
        2. read by self → read, owner self
        3. lay_aside by self → waiting, owner self
`);
  expect(stdout).toMatch(/1 lifecycle checked \(1 of pawl\.config\.ts\): 1 error\.\n$/);
});

test("a broken invariant is in the JSON with its path", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith({ rules: LAID_ASIDE_AND_KEPT }) });
  const { code, stdout } = await pawl(["check", "letters", "--json"], { cwd });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    reports: [
      {
        lifecycle: "letters",
        findings: [
          {
            level: "error",
            kind: "invariant",
            path: [{ action: "create" }, { action: "read" }, { action: "lay_aside" }],
          },
        ],
      },
    ],
  });
});

test("a warning is a finding too", async () => {
  const rules = LAID_ASIDE_AND_KEPT.replace(
    "\n],",
    '\n  { action: "answer", from: "read", to: "answered", who: "assignee" },\n],',
  );
  const cwd = await folderWith({ "pawl.config.ts": configWith({ rules, more: "" }) });
  const { code, stdout } = await pawl(["check", "letters"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "no invariants\n    ! warning: rule 4 (answer from read to answered) never fires: rule 3",
  );
  expect(stdout).toContain("1 warning.");
});

test("an invariant that throws is a finding, not a bug in Pawl", async () => {
  const more = 'invariants: { "it holds": () => { throw new Error("not at home"); } },';
  const cwd = await folderWith({ "pawl.config.ts": configWith({ more }) });
  const { code, stdout, stderr } = await pawl(["check", "letters"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('✗ "it holds" throws Error: not at home');
  expect(stderr).toBe("");
});

const MISTAKES: [string, Parameters<typeof configWith>[0] & {}, string][] = [
  [
    "an unknown status",
    { rules: LAID_ASIDE_AND_KEPT.replace('to: "answered"', 'to: "answerd"') },
    'names the unknown status "answerd"; did you mean "answered"?',
  ],
  [
    "a guard without implementation",
    { rules: LAID_ASIDE_AND_KEPT.replace('who: "assignee" }', 'who: "assignee", guards: ["polite"] }') },
    'names the guard "polite", which has no implementation',
  ],
  [
    "an effect without implementation",
    { rules: LAID_ASIDE_AND_KEPT.replace("assign_actor", "assign_acto") },
    'names the effect "assign_acto", which has no implementation; did you mean "assign_actor"?',
  ],
  [
    "an unreachable status",
    { statuses: "statuses: { waiting: {}, read: {}, lost: { final: true }, answered: { final: true } }," },
    'status "lost" can never be reached',
  ],
  [
    "a status without a way out",
    { statuses: "statuses: { waiting: {}, read: {}, answered: {} }," },
    'status "answered" is not final and has no way out',
  ],
  [
    "a rule out of a final status",
    { statuses: "statuses: { waiting: {}, read: { final: true }, answered: { final: true } }," },
    'leaves the final status "read"',
  ],
];

test.each(MISTAKES)(
  "a definition with %s is reported with its location, without a stack trace",
  async (_, changes, mistake) => {
    const cwd = await folderWith({ "pawl.config.ts": configWith(changes) });
    const { code, stdout, stderr } = await pawl(["check"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^pawl: Lifecycle "letters" \(pawl\.config\.ts:5\)(:| has)/);
    expect(stderr).toContain(mistake);
    expect(stderr).toContain("\n  Fix the definition.\n");
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

test("a definition with several mistakes lists each on its own line, and as JSON on demand", async () => {
  const rules = LAID_ASIDE_AND_KEPT.replace('to: "answered"', 'to: "answerd"').replace('"anyone"', '"anyon"');
  const cwd = await folderWith({ "pawl.config.ts": configWith({ rules }) });
  const [text, json] = await Promise.all([pawl(["check"], { cwd }), pawl(["check", "--json"], { cwd })]);
  expect(text.stderr).toBe(`pawl: Lifecycle "letters" (pawl.config.ts:5) has 2 mistakes:
  - rule 1 (read from waiting to read) names the unknown who "anyon"; did you mean "anyone"?
  - rule 3 (answer from read to answerd) names the unknown status "answerd"; did you mean "answered"?
  Fix the definition.
`);
  expect(json).toMatchObject({ code: 1, stdout: "" });
  expect(JSON.parse(json.stderr)).toMatchObject({
    code: "INVALID_LIFECYCLE",
    at: "pawl.config.ts:5",
    mistakes: [expect.stringContaining("anyon"), expect.stringContaining("answerd")],
  });
});
