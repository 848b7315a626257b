// npm run bench [-- <name> …] [--quick] [--profile]: runs the scenarios, prints their tables and which aims were met.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyAssets } from "./copy-assets.ts";
import { describeEnvironment } from "./describe-environment.ts";
import { printReport } from "./print-report.ts";
import type { Report } from "./report.ts";
import type { Scenario } from "./scenarios/index.ts";
import { Environment } from "./environment.ts";
import { Cleanup } from "./cleanup.ts";
import { writeResults } from "./write-results.ts";

/** Exit code if every scenario completed but an aim was missed; any failure is 1. */
const AIM_MISSED = 3;

const {
  values: { quick, profile },
  positionals: names,
} = parseArgs({
  options: { quick: { type: "boolean", default: false }, profile: { type: "boolean", default: false } },
  allowPositionals: true,
});
copyAssets(
  fileURLToPath(new URL("../../src", import.meta.url)),
  fileURLToPath(new URL("../src", import.meta.url)),
);
// Imported after the copy: the scenarios import some of the copied files.
const { SCENARIOS } = await import("./scenarios/index.ts");
const chosen = choose();
const cleanup = new Cleanup();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void cleanup.run().finally(() => process.exit(130)));
try {
  const reports = await runAll(chosen);
  if (reports.some((report) => report.aims.some((aim) => aim.met === false))) process.exitCode = AIM_MISSED;
  if (reports.some((report) => report.failed)) process.exitCode = 1;
} finally {
  await cleanup.run();
}

async function runAll(scenarios: [string, Scenario][]): Promise<Report[]> {
  const needsPeers = scenarios.some(([, scenario]) => scenario.peers);
  const env = await Environment.open({ quick, profile, log: loggerOf }, needsPeers, cleanup);
  const environment = await describeEnvironment(env);
  const reports: Report[] = [];
  for (const [name, scenario] of scenarios) {
    const started = Date.now();
    const results = await attempt(name, scenario, env);
    loggerOf(name)(`${((Date.now() - started) / 1000).toFixed(0)} s in total`);
    for (const report of results) printReport(report);
    reports.push(...results);
  }
  if (!quick && names.length === 0) writeResults(reports, environment);
  return reports;
}

/** Runs a scenario. A failure becomes a report of its own, so that the others still run. */
async function attempt(name: string, { run }: Scenario, env: Environment): Promise<Report[]> {
  try {
    return [await env.runScenario(name, run)].flat();
  } catch (error) {
    if (cleanup.hasStarted) throw error;
    const figure = error instanceof Error ? error.message : String(error);
    return [
      {
        title: name,
        table: [],
        aims: [{ text: "The scenario completes", figure, met: false }],
        notes: [],
        failed: true,
      },
    ];
  }
}

function choose(): [string, Scenario][] {
  const unknown = names.find((name) => !(name in SCENARIOS));
  if (unknown === undefined)
    return Object.entries(SCENARIOS).filter(([name]) => names.length === 0 || names.includes(name));
  console.error(`Unknown scenario "${unknown}". Choose from: ${Object.keys(SCENARIOS).join(", ")}.`);
  process.exit(2);
}

function loggerOf(name: string): (message: string) => void {
  return (message) => {
    console.error(`· ${name}: ${message}`);
  };
}
