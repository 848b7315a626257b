// npm run soak: delivers files for a while with random faults of Telegram and storage and killed processes, and checks each job.
// `npm run soak -- --minutes 30 --jobs 5000 --seed 7` is the long run; `--check <file>` checks the record of an earlier one.
// Exits with 1 if a job was not delivered once, or failed without the reported reason, or if memory has grown.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkRecord } from "./check-record.ts";
import { memoryOf } from "./memory.ts";
import type { SoakRecord } from "./record.ts";
import { runSoak } from "./run-soak.ts";
import type { SoakProgress } from "./run-soak.ts";
// @ts-expect-error a script without types
import { ensureBuilt } from "../ensure-built.js";

const BIN = fileURLToPath(new URL("../../dist/main/bin.js", import.meta.url));
const MAX_SHOWN = 30;
const PROGRESS_INTERVAL_MS = 15_000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    jobs: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    out: { type: "string", default: join(tmpdir(), `pawl-soak-${process.pid}`) },
    check: { type: "string" },
  },
});

async function record(): Promise<SoakRecord> {
  if (options.check !== undefined) return JSON.parse(await readFile(options.check, "utf8")) as SoakRecord;
  if (!(ensureBuilt as () => boolean)()) throw new Error("the build failed");
  await mkdir(options.out, { recursive: true });
  const [minutes = 0, jobs = 0, seed = 0] = [options.minutes, options.jobs, options.seed].map(Number);
  console.log(`${jobs} jobs in ${minutes} minutes, seed ${seed}, into ${options.out}`);
  let printed = 0;
  const recorded = await runSoak({
    ...{ pawl: [BIN], minutes, jobs, seed, folder: options.out },
    onProgress: (progress) => {
      if (Date.now() - printed < PROGRESS_INTERVAL_MS) return;
      printed = Date.now();
      console.log(lineOf(progress));
    },
  });
  await writeFile(join(options.out, "record.json"), JSON.stringify(recorded));
  return recorded;
}

function lineOf({ seconds, tapped, open, documents, faults, kills, memory }: SoakProgress): string {
  const time = `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const rss = memory.map(({ name, rssMb }) => `${name} ${Math.round(rssMb)}`).join(", ");
  return `${time}  ${tapped} taps, ${open} open, ${documents} documents, ${faults} faults, ${kills} ends  MB: ${rss}`;
}

function report(recorded: SoakRecord): boolean {
  const { violations, figures } = checkRecord(recorded);
  const kinds = new Map<string, number>();
  for (const { side, what, fault } of recorded.faults) {
    const kind = `${side} ${what} ${fault.kind === "status" ? fault.status : fault.kind}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const reasons = new Map<string, number>();
  for (const { status, last_error } of recorded.jobs)
    if (status === "FAILED")
      reasons.set(last_error?.code ?? "none", (reasons.get(last_error?.code ?? "none") ?? 0) + 1);
  const ends = (signal: string, member: RegExp) =>
    recorded.ends.filter((end) => end.signal === signal && member.test(end.member)).length;
  console.log(
    `\n${recorded.taps.length} taps in ${((recorded.ended - recorded.started) / 60_000).toFixed(1)} minutes`,
  );
  console.log(
    `delivered ${figures.delivered}, failed ${figures.failed} (${[...reasons].map(([code, count]) => `${code} ${count}`).join(", ")})`,
  );
  console.log(
    `${figures.tries} tries, ${figures.timeouts} of killed workers; sent again after a lost answer or a kill: ${figures.resent}; failed, but Telegram had accepted the file: ${figures.failedButReceived}`,
  );
  console.log(
    `kill -9: worker ${ends("SIGKILL", /worker/)}, bot ${ends("SIGKILL", /bot/)}; SIGTERM: ${ends("SIGTERM", /./)}; faults: ${recorded.faults.length}`,
  );
  for (const [kind, count] of [...kinds].sort(([one], [other]) => one.localeCompare(other)))
    console.log(`  ${kind}: ${count}`);
  for (const { name, pid, minutes, earlyMb, lateMb, peakMb } of memoryOf(recorded.memory))
    if (minutes >= 5)
      console.log(
        `memory of ${name} (${pid}) over ${minutes.toFixed(0)} minutes: ${Math.round(earlyMb)} → ${Math.round(lateMb)} MB, peak ${Math.round(peakMb)} MB`,
      );
  console.log(violations.length === 0 ? "PASSED" : `FAILED: ${violations.length} violations`);
  for (const violation of violations.slice(0, MAX_SHOWN)) console.log(`  ${violation}`);
  return violations.length === 0;
}

process.exitCode = report(await record()) ? 0 : 1;
