// npm run bench [-- --quick] [--only <name>] [--profile]: runs the scenarios, prints their tables, and says which aims were met.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { describeSurroundings } from "./describe-surroundings.ts";
import { printReport } from "./print-report.ts";
import type { Report } from "./report.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Scenario } from "./scenarios/index.ts";
import { Stage } from "./stage.ts";
import { TidyUp } from "./tidy-up.ts";
import { writeResults } from "./write-results.ts";

const { quick, profile, only } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
}).values;
const chosen = choose(only);
bringFiles();
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
    const report = await attempt(name, scenario, stage);
    tell(name)(`${((Date.now() - started) / 1000).toFixed(0)} s in all`);
    printReport(report);
    reports.push(report);
  }
  if (!quick && only.length === 0) writeResults(reports, surroundings);
  return reports;
}

/** A scenario that fails must not cost the others their figures. */
async function attempt(name: string, { run }: Scenario, stage: Stage): Promise<Report> {
  try {
    return await stage.play(name, run);
  } catch (error) {
    if (tidyUp.hasBegun) throw error;
    const figure = error instanceof Error ? error.message : String(error);
    return { title: name, table: [], aims: [{ text: "It runs to its end", figure, met: false }], notes: [] };
  }
}

function choose(names: readonly string[]): [string, Scenario][] {
  const unknown = names.find((name) => !(name in SCENARIOS));
  if (unknown === undefined)
    return Object.entries(SCENARIOS).filter(([name]) => names.length === 0 || names.includes(name));
  console.error(`There is no scenario "${unknown}"; there are ${Object.keys(SCENARIOS).join(", ")}.`);
  process.exit(2);
}

/** The compiler leaves them behind: migrations, the engine's and those of the lifecycles, and what is no TypeScript. */
function bringFiles(): void {
  const [from, to] = [new URL("../../src/", import.meta.url), new URL("../src/", import.meta.url)];
  const rooms = readdirSync(from, { recursive: true, encoding: "utf8" });
  for (const script of rooms.filter((path) => path.endsWith(".mjs")))
    cpSync(new URL(script, from), new URL(script, to));
  for (const room of rooms.filter((path) => basename(path) === "migrations")) {
    rmSync(new URL(room, to), { recursive: true, force: true });
    cpSync(new URL(room, from), new URL(room, to), {
      recursive: true,
      filter: (file) => !file.endsWith(".ts"),
    });
  }
  const heart = "worker/heart-thread.mjs";
  cpSync(new URL(heart, from), new URL(heart, to));
}

function tell(name: string): (message: string) => void {
  return (message) => {
    console.error(`· ${name}: ${message}`);
  };
}
