import { RULES } from "./rules.ts";

/** Builds docs/broken-rules.md from the table of mutations. */
export function brokenRulesPage(): string {
  const sections = RULES.map(({ rule, mutations }) => {
    const rows = mutations.map(({ fault, test, name }) => `| ${fault} | \`${test}\`: ${name} |`);
    return [`## ${rule}`, "", "| fault | caught by |", "| --- | --- |", ...rows, ""].join("\n");
  });
  return `# Broken rules

\`npm run mutate\` breaks each rule of the write path in a copy of the project, one fault at a time, and expects the named test to
fail. \`npm run generate\` writes this page from \`scripts/mutate/\`.

${sections.join("\n")}`;
}
