import { writeFileSync } from "node:fs";
import { verdictOn } from "./report.ts";
import type { Aim, Report } from "./report.ts";

const RESULTS = new URL("../../bench/RESULTS.md", import.meta.url);

/** Writes the page with the figures of a full run. */
export function writeResults(reports: readonly Report[], environment: readonly string[]): void {
  const aims = reports.flatMap((report) => report.aims);
  const met = aims.filter((aim) => aim.met === true).length;
  const lines = [
    "# Results",
    "",
    `Written by \`npm run bench\`; [README.md](README.md) describes how it measures. ${met} of ${aims.length} aims were met.`,
    "Rates are medians of alternating rounds, beside the lowest and the highest. Compare ratios within one run; do not compare rates of different runs.",
    "",
    ...environment.map((line) => `- ${line}`),
    ...reports.flatMap(section),
    "",
  ];
  writeFileSync(RESULTS, lines.join("\n"));
}

function section({ title, table, aims, notes }: Report): string[] {
  return [
    "",
    `## ${title}`,
    "",
    ...tableInMarkdown(table),
    ...notes.flatMap((note) => [note, ""]),
    ...aims.map((aim) => `- ${verdictInMarkdown(aim)}: ${aim.text}: ${aim.figure}`),
  ];
}

function verdictInMarkdown(aim: Aim): string {
  return aim.met === false ? `**${verdictOn(aim)}**` : verdictOn(aim);
}

function tableInMarkdown([head, ...rows]: readonly string[][]): string[] {
  if (!head) return [];
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line), ""];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
