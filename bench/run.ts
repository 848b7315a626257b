// npm run bench [-- --quick]: runs every benchmark, prints its table, and says which aims were met.
import { benchDecisions } from "./decisions.ts";
import type { Report } from "./compare.ts";

const quick = process.argv.includes("--quick");
const reports = [benchDecisions({ quick })];
for (const report of reports) print(report);
if (reports.some((report) => report.aims.some((aim) => !aim.met))) process.exitCode = 1;

function print({ title, unit, rows, aims }: Report): void {
  const number = (value: number) => Math.round(value).toLocaleString("en").padStart(13);
  console.log(`\n${title} (${unit})\n`);
  console.log(
    `  ${"".padEnd(24)}${"median".padStart(13)}${"lowest".padStart(13)}${"highest".padStart(13)}   ratio`,
  );
  for (const { name, median, low, high, ratio } of rows) {
    console.log(
      `  ${name.padEnd(24)}${number(median)}${number(low)}${number(high)}${ratio.toFixed(2).padStart(8)}`,
    );
  }
  for (const { text, met } of aims) console.log(`  ${met ? "met" : "MISSED"}: ${text}`);
}
