/** Makes the changes of a demo task: one new file and one changed line. */
export function sampleDiff(slug: string, commits: { base: string; commit: string }) {
  const name = slug.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const added = [
    `import { settings } from "./settings.ts";`,
    "",
    `export function ${name}(input: string): string {`,
    `  return settings.prefix + input.trim();`,
    "}",
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
    `diff --git a/src/${slug}.ts b/src/${slug}.ts`,
    "new file mode 100644",
    "index 0000000..5d77b1f",
    "--- /dev/null",
    `+++ b/src/${slug}.ts`,
    `@@ -0,0 +1,${added.length} @@`,
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
  return { ...commits, files: 2, added: added.length + 2, removed: 1, diff, truncated: false };
}
