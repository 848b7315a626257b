import { expect, test } from "vitest";
import { parseYaml } from "./parse-yaml.ts";

test.each([
  ["lists of JSON", "[".repeat(20_000) + "]".repeat(20_000)],
  ["lists without an end", "[".repeat(20_000)],
  ["objects of JSON", '{"a":'.repeat(20_000)],
  ["lists of YAML in one line", "- ".repeat(20_000)],
  ["maps of YAML", Array.from({ length: 1_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
])("reports %s that are nested too deeply", (_, text) => {
  const { errors } = parseYaml(`\n${text}`);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^values are nested more than 100 levels deep at line \d+$/),
  ]);
});

test("parses values up to the limit", () => {
  const depth = 90;
  for (const text of [`${"[".repeat(depth)}1${"]".repeat(depth)}`, `${"- ".repeat(depth)}1`]) {
    const document = parseYaml(text);
    expect(document.errors).toEqual([]);
    expect(JSON.stringify(document.toJS())).toBe(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
  }
});

test("parses text with many brackets", () => {
  const text = `- title: "${"[".repeat(5_000)}"\n- |\n  ${"{".repeat(5_000)}\n`;
  expect(parseYaml(text).errors).toEqual([]);
});
