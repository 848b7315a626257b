import { writeFileSync } from "node:fs";
import { verdictOn } from "./report.ts";
import type { Aim, Report } from "./report.ts";

const RESULTS = new URL("../../bench/RESULTS.md", import.meta.url);

/** The page with the figures of a full run. */
export function writeResults(reports: readonly Report[], surroundings: readonly string[]): void {
  const aims = reports.flatMap((report) => report.aims);
  const met = aims.filter((aim) => aim.met === true).length;
  const lines = [
    "# Results",
    "",
    `Written by \`npm run bench\`; [README.md](README.md) says how it measures. ${met} of ${aims.length} aims were met.`,
    "Rates are medians of alternating rounds, with the lowest and the highest beside them; trust the ratios of one run, not the rates of two.",
    "",
    ...surroundings.map((line) => `- ${line}`),
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
