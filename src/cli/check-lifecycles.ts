import { basename } from "node:path";
import { check } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { findLifecycle } from "./find-lifecycle.ts";
import { withLifecycleErrors } from "./with-lifecycle-errors.ts";
import { reportText, summaryText } from "./report-text.ts";
import type { Report } from "./report-text.ts";
import type { CliEnvironment } from "./cli-environment.ts";
import { jsonText } from "./terminal-text.ts";

/** `pawl check [lifecycle]` */
export async function checkLifecycles(
  { out, shipped, loadConfig }: CliEnvironment,
  { name, config, json }: { name: string | undefined; config?: string; json?: boolean },
): Promise<ExitCode> {
  const user = await loadConfig(config);
  const known = [...shipped, ...user.lifecycles];
  const chosen = name === undefined ? known : [findLifecycle(known, name)];
  const reports = chosen.map((lifecycle) => withLifecycleErrors(lifecycle, shipped, reportOn));
  const ok = reports.every(({ findings }) => findings.length === 0);
  if (json) {
    out.write(`${jsonText({ ok, reports }, 2)}\n`);
  } else {
    const own = {
      file: user.path && basename(user.path),
      count: chosen.filter((one) => user.lifecycles.includes(one)).length,
    };
    out.write(
      `${[...reports.map((report) => reportText(report, out)), summaryText(reports, own, out)].join("\n\n")}\n`,
    );
  }
  return ok ? EXIT.fine : EXIT.finding;
}

function reportOn(lifecycle: Lifecycle): Report {
  const { lifecycle: name, version, ...walked } = check(lifecycle);
  return {
    lifecycle: name,
    version,
    statuses: Object.keys(lifecycle.statuses).length,
    rules: lifecycle.rules.length,
    ...walked,
  };
}
