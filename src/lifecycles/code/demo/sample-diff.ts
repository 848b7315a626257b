/** Makes the changes of a demo task: one new file and one changed line; after a review also a test. */
export function sampleDiff(slug: string, commits: { base: string; commit: string }, reviewed = false) {
  const name = slug.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const added = [
    `import { settings } from "./settings.ts";`,
    "",
    `export function ${name}(input: string): string {`,
    `  return settings.prefix + input.trim();`,
    "}",
  ];
  const tests = [
    `import { expect, test } from "vitest";`,
    `import { ${name} } from "./${slug}.ts";`,
    "",
    `test("accepts empty input", () => {`,
    `  expect(${name}("")).toBe("");`,
    "});",
  ];
  const files = [
    newFile(`src/${slug}.ts`, added),
    ...(reviewed ? [newFile(`src/${slug}.test.ts`, tests)] : []),
  ];
  const diff = [
    `diff --git a/src/index.ts b/src/index.ts`,
    "index 7d1c2a0..b81f66a 100644",
    "--- a/src/index.ts",
    "+++ b/src/index.ts",
    "@@ -1,3 +1,4 @@",
    ` export { settings } from "./settings.ts";`,
    `-// More exports follow.`,
    `+export { ${name} } from "./${slug}.ts";`,
    `+// The other exports follow.`,
    ` export { start } from "./start.ts";`,
    ...files.flat(),
    "",
  ].join("\n");
  const lines = added.length + 2 + (reviewed ? tests.length : 0);
  return { ...commits, files: files.length + 1, added: lines, removed: 1, diff, truncated: false };
}

function newFile(path: string, lines: readonly string[]): string[] {
  return [
    `diff --git a/${path} b/${path}`,
    "new file mode 100644",
    "index 0000000..5d77b1f",
    "--- /dev/null",
    `+++ b/${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
  ];
}
