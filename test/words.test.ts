import { RuleTester } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it, test } from "vitest";
import rule from "../scripts/words/rule.ts";
import { findFaults, findNameFaults, findSubjectFaults } from "../scripts/words/words.ts";

test.each([
  ["Returns the first free port.", []],
  ["What port is free.", ["What …"]],
  ["Reads a row. Whoever asks again gets the same.", ["Whoever …", "Whoever"]],
  ["What happens then?", []],
  ["He may not see his task.", ["He"]],
  ["The guardian tells the herald.", ["tells"]],
  ["There is no task with this id.", []],
  ["This is no HTTP request. Mend the client.", ["Mend", "is no"]],
  ["Keeps so many rows.", ["so many"]],
  ['Throws `nobody` or "he".', []],
])("the faults of %j", (text, found) => {
  expect(findFaults(text).map((fault) => fault.found)).toEqual(found);
});

test.each([
  ["MAX_PAGE_SIZE", 0],
  ["MOST_PER_PAGE", 1],
  ["toldPage", 1],
  ["POLL_EVERY_MS", 1],
  ["almost", 0],
])("the name %s has %i faults", (name, count) => {
  expect(findNameFaults(name)).toHaveLength(count);
});

test.each([
  ["engine: answer the commands of one call together", 0],
  ["Merge branch 'main'", 0],
  ["Fixed things", 1],
  [`engine: ${"long ".repeat(20)}`, 1],
  ["engine: what nobody waits for is told", 3],
])("the commit subject %j has %i faults", (subject, count) => {
  expect(findSubjectFaults(subject)).toHaveLength(count);
});

RuleTester.describe = describe;
RuleTester.it = it;
new RuleTester({ languageOptions: { parser: tseslint.parser } }).run("plain-english", rule, {
  valid: [
    "// Lock in id order: two transactions that lock in different orders deadlock.",
    "// eslint-disable-next-line no-alert -- nobody sees it",
    'test("a stale lease token is refused", () => {});',
    'const text = "whoever comes first";',
    { code: 'export default { title: "Not found" };', filename: "src/core/problems.ts" },
  ],
  invalid: [
    { code: "// Whoever comes first.", errors: 2 },
    { code: "/** Of two rows\n * the one that nobody has. */", errors: 2 },
    { code: "// The first line is fine,\n// and then his is told.", errors: 2 },
    { code: 'test.each([1])("what %i tells", () => {});', errors: 2 },
    { code: "const MOST_ROWS = 5;", errors: 1 },
    { code: "function toldOf() {}", errors: 1 },
    { code: 'export default { title: "This is no task" };', filename: "src/core/problems.ts", errors: 1 },
    { code: "export default { title: `Mend ${1}` };", filename: "src/core/problems.ts", errors: 1 },
  ],
});
