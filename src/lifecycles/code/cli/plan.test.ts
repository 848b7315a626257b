import { describe, expect, test } from "vitest";
import { parseJsonPlan } from "./json-plan.ts";
import { parseMarkdownPlan } from "./markdown-plan.ts";
import { resolvePlan } from "./plan.ts";
import type { ParsedPlan } from "./plan.ts";

const edgesOf = (parsed: ParsedPlan) => {
  const plan = resolvePlan(parsed);
  if ("errors" in plan) throw new Error(JSON.stringify(plan.errors));
  const titles = new Map(plan.tasks.map(({ ref, title }) => [ref, title]));
  return plan.tasks.map(({ title, blockers }) => [title, ...blockers.map((ref) => titles.get(ref))]);
};
const errorsOf = (parsed: ParsedPlan) => {
  const plan = resolvePlan(parsed);
  return "errors" in plan ? plan.errors.map(({ line, message }) => `${line}: ${message}`) : [];
};

const PLAN = `# Price lists

Some words.

- [ ] Add the command
  It prints a table.

  \`\`\`
  - [ ] no task
  \`\`\`
  - [ ] Write the parser (ref: parser)
    acceptance: npm test passes
    priority: 5
  - [x] Choose a name
  * [ ] Write the printer
      after: parser, choose a NAME
1. [ ] Release (after: Add the command, write the parser)
not part of an item
`;

describe("a check list", () => {
  test("has dependencies by nesting, refs and titles; checked items are done", () => {
    expect(edgesOf(parseMarkdownPlan(PLAN))).toEqual([
      ["Add the command", "Write the parser", "Write the printer"],
      ["Write the parser"],
      ["Write the printer", "Write the parser"],
      ["Release", "Add the command", "Write the parser"],
    ]);
  });

  test("has descriptions, acceptance and priorities", () => {
    const { tasks } = parseMarkdownPlan(PLAN);
    expect(tasks.map(({ line }) => line)).toEqual([5, 11, 15, 17]);
    expect(tasks[0]?.description).toBe("It prints a table.\n\n```\n- [ ] no task\n```");
    expect(tasks[1]).toMatchObject({ acceptance: "npm test passes", priority: 5, description: null });
    expect(tasks[3]?.description).toBe(null);
  });

  test.each<[name: string, text: string, errors: string[]]>([
    ["an unknown reference", "- [ ] A\n  after: B", ['2: there is no task "B"']],
    [
      "a cycle",
      "- [ ] A (after: B)\n- [ ] B (after: A)",
      ['2: these tasks wait for each other: "A" after "B" after "A"'],
    ],
    ["a cycle of itself", "- [ ] A (after: A)", ['1: these tasks wait for each other: "A" after "A"']],
    [
      "a child that waits for its parent",
      "- [ ] A\n  - [ ] B\n    after: A",
      ['3: these tasks wait for each other: "A" after "B" after "A"'],
    ],
    ["a repeated title", "- [ ] A\n- [ ] a", ["2: the title is the same as on line 1"]],
    ["a repeated ref", "- [ ] A (ref: x)\n- [ ] B (ref: x)", ['2: "x" is also the name of line 1']],
    ["an empty title", "- [ ] A\n- [ ] ", ["2: the item has no title"]],
    [
      "an invalid field",
      "- [ ] A\n  priority: high\n  after:",
      ['2: priority must be a whole number, not "high"', '3: "after:" has no value'],
    ],
    ["no tasks", "- A\n- [x] B", ["1: no open tasks found"]],
    ["NUL in a title", "- [ ] A\u0000B", ["1: title: text must not hold NUL or lone surrogates"]],
    [
      "long lines of spaces and brackets",
      `- [ ] A${" ".repeat(300_000)}x\n- [ ] B (after:${" ".repeat(300_000)}x\n- [ ] C ${"(ref: c)".repeat(40_000)}`,
      ["1: title: Too big: expected string to have <=200 characters"],
    ],
  ])("with %s is refused with its line", (_, text, errors) => {
    const found = errorsOf(parseMarkdownPlan(text));
    for (const error of errors) expect(found).toContain(error);
  });
});

describe("JSON", () => {
  test("in the format of Pawl has refs, titles and numbers as references", () => {
    const text = `{"tasks": [
      {"ref": 1, "title": "A", "review": true},
      "B",
      {"title": "C", "after": [1, "b"]}
    ]}`;
    expect(edgesOf(parseJsonPlan(text))).toEqual([["A"], ["B"], ["C", "A", "B"]]);
    expect(parseJsonPlan(text).tasks.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(parseJsonPlan(text).tasks[0]?.more).toMatchObject({ review: true });
  });

  test.each<[name: string, text: string, errors: RegExp[]]>([
    ["a syntax error", '[\n{"title": "A"\n', [/^\d: /]],
    ["no list", '{"task": []}', [/^1: no list of tasks found/]],
    ["an unknown field", '[\n{"title": "A"},\n{"title": "B", "atfer": ["A"]}]', [/^3: .*atfer/]],
    ["an unknown reference", '[\n{"title": "A",\n"after": ["x"]}]', [/^3: there is no task "x"/]],
    [
      "aliases that multiply",
      `{x: &x [1,1,1,1,1,1,1,1,1], y: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x], z: &z [*y,*y,*y,*y,*y,*y,*y,*y,*y],\ntasks: [*z]}`,
      [/^2: Excessive alias count/],
    ],
    ["a cycle", '[\n{"title": "A", "after": "B"},\n{"title": "B", "after": "A"}]', [/^3: these tasks wait/]],
  ])("with %s is refused with its line", (_, text, errors) => {
    const found = errorsOf(parseJsonPlan(text));
    for (const error of errors) expect(found.some((one) => error.test(one))).toBe(true);
  });

  test("from GitHub has the dependencies of issues that their bodies name", () => {
    const issues = [
      { number: 7, title: "Parser", body: "", labels: [{ name: "core" }] },
      { number: 8, title: "Printer", body: "Blocked by #7.", labels: [] },
      { number: 9, title: "Release", body: "- [ ] #8\n- [x] #3\nDepends on #7 and #8", labels: [] },
    ];
    const parsed = parseJsonPlan(JSON.stringify(issues, null, 1));
    expect(edgesOf(parsed)).toEqual([["Parser"], ["Printer", "Parser"], ["Release", "Parser", "Printer"]]);
    expect(parsed.tasks[0]?.description).toBe("GitHub issue #7; labels: core");
    const unknown = parseJsonPlan('[{"number": 1, "title": "A", "body": "depends on #99", "labels": []}]');
    expect(errorsOf(unknown)).toEqual(['1: there is no task "#99"']);
    expect(resolvePlan(unknown, { allowUnknown: true })).toMatchObject({
      notes: ['line 1: "#99" is not in the file and is ignored'],
    });
  });
});
