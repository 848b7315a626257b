import { execFile } from "node:child_process";
import type { CheckReport } from "../core/index.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Checks lifecycles with `pawl check` in a process of its own: a check computes for seconds, which would delay every other request. */
export function checkInProcess(command: string, config: string | null) {
  return (lifecycle: string, signal: AbortSignal): Promise<CheckReport> =>
    new Promise((resolve, reject) => {
      const args = [command, "check", lifecycle, "--json", ...(config === null ? [] : ["--config", config])];
      const options = { maxBuffer: MAX_OUTPUT_BYTES, signal };
      // The exit code is 1 if there are findings, which are part of the report.
      execFile(process.execPath, [...process.execArgv, ...args], options, (error, stdout) => {
        try {
          const { reports } = JSON.parse(stdout) as { reports: [CheckReport] };
          const [{ version, situations, steps, invariants, findings }] = reports;
          resolve({ lifecycle, version, situations, steps, invariants, findings });
        } catch {
          reject(error ?? new Error(`pawl check ${lifecycle} printed no report`));
        }
      });
    });
}
