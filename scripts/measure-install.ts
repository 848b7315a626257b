// Prints how many packages `npm install` adds to an empty folder, and their size on disk: of Pawl, its client, and similar tools. The
// README has these figures: `npx tsx scripts/measure-install.ts`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { diskUsage } from "./disk-usage.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const OTHERS = ["pg-boss", "graphile-worker", "bullmq"];

const scratch = mkdtempSync(join(tmpdir(), "pawl-measure-"));
try {
  const client = join(scratch, "client");
  // Builds Pawl first, if it is out of date.
  run(process.execPath, [join(ROOT, "scripts/build-client.js"), client]);
  const pawl = pack(ROOT);
  report("pawl with its PostgreSQL", [pawl]);
  report("pawl without optional dependencies", [pawl, "--omit=optional"]);
  report("pawl-client", [pack(client)]);
  for (const name of OTHERS) report(name, [name]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function pack(folder: string): string {
  const { name, version } = readJson(join(folder, "package.json")) as { name: string; version: string };
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", scratch], folder);
  return join(scratch, `${name}-${version}.tgz`);
}

function report(name: string, args: readonly string[]): void {
  const folder = join(scratch, name.replaceAll(" ", "-"));
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...args], folder);
  // The lockfile that npm keeps here lists what it has installed.
  const { packages } = readJson(join(folder, "node_modules/.package-lock.json")) as { packages: object };
  const megabytes = (diskUsage(join(folder, "node_modules")) / 1e6).toFixed(1);
  console.log(`${name}: ${Object.keys(packages).length} packages, ${megabytes} MB`);
}

function run(command: string, args: readonly string[], cwd = ROOT): void {
  const shell = process.platform === "win32";
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", shell });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stderr}`);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
