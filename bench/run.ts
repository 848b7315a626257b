// npm run bench [-- <name> …] [--quick] [--profile]: runs the scenarios, prints their tables, and says which aims were met.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyAssets } from "./copy-assets.ts";
import { describeSurroundings } from "./describe-surroundings.ts";
import { printReport } from "./print-report.ts";
import type { Report } from "./report.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Scenario } from "./scenarios/index.ts";
import { Stage } from "./stage.ts";
import { TidyUp } from "./tidy-up.ts";
import { writeResults } from "./write-results.ts";

const {
  values: { quick, profile },
  positionals: names,
} = parseArgs({
  options: { quick: { type: "boolean", default: false }, profile: { type: "boolean", default: false } },
  allowPositionals: true,
});
const chosen = choose();
copyAssets(
  fileURLToPath(new URL("../../src", import.meta.url)),
  fileURLToPath(new URL("../src", import.meta.url)),
);
const tidyUp = new TidyUp();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void tidyUp.now().finally(() => process.exit(130)));
try {
  const reports = await runAll(chosen);
  if (reports.some((report) => report.aims.some((aim) => aim.met === false))) process.exitCode = 1;
} finally {
  await tidyUp.now();
}

async function runAll(scenarios: [string, Scenario][]): Promise<Report[]> {
  const needsPeers = scenarios.some(([, scenario]) => scenario.peers);
  const stage = await Stage.open({ quick, profile, tell }, needsPeers, tidyUp);
  const surroundings = await describeSurroundings(stage);
  const reports: Report[] = [];
  for (const [name, scenario] of scenarios) {
    const started = Date.now();
    const found = await attempt(name, scenario, stage);
    tell(name)(`${((Date.now() - started) / 1000).toFixed(0)} s in all`);
    for (const report of found) printReport(report);
    reports.push(...found);
  }
  if (!quick && names.length === 0) writeResults(reports, surroundings);
  return reports;
}

/** A scenario that fails must not cost the others their figures. */
async function attempt(name: string, { run }: Scenario, stage: Stage): Promise<Report[]> {
  try {
    return [await stage.play(name, run)].flat();
  } catch (error) {
    if (tidyUp.hasBegun) throw error;
    const figure = error instanceof Error ? error.message : String(error);
    return [
      { title: name, table: [], aims: [{ text: "It runs to its end", figure, met: false }], notes: [] },
    ];
  }
}

function choose(): [string, Scenario][] {
  const unknown = names.find((name) => !(name in SCENARIOS));
  if (unknown === undefined)
    return Object.entries(SCENARIOS).filter(([name]) => names.length === 0 || names.includes(name));
  console.error(`There is no scenario "${unknown}"; there are ${Object.keys(SCENARIOS).join(", ")}.`);
  process.exit(2);
}

function tell(name: string): (message: string) => void {
  return (message) => {
    console.error(`· ${name}: ${message}`);
  };
}
