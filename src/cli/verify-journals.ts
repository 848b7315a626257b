import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { count, print } from "./print.ts";
import { progressBar } from "./progress-bar.ts";
import type { ServerFlags, CliEnvironment, VerifiedOrg } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";

const MAX_SHOWN = 20;

/** `pawl verify` */
export async function verifyJournals(
  { out, err, admin }: CliEnvironment,
  { org, json, ...flags }: ServerFlags & { org?: string; json?: true },
): Promise<ExitCode> {
  const bar = progressBar(err, "tasks");
  const orgs = await admin.verify(org, flags, bar.show).finally(bar.end);
  const ok = orgs.every(({ differences }) => differences.length === 0);
  print(out, {
    json,
    value: { ok, orgs },
    text: () => orgs.map((verified) => orgText(verified, out)).join("\n"),
  });
  return ok ? EXIT.fine : EXIT.finding;
}

function orgText({ org, tasks, events, differences }: VerifiedOrg, out: CliEnvironment["out"]): string {
  const { bold, cyan, green, red } = out.colours;
  const checked = `${count(tasks, "task")}, ${count(events, "event")}`;
  if (differences.length === 0)
    return `${green("✓")} ${wrap(`${bold(org)}: ${checked}: every task matches its journal.`, out.columns, 2)}`;
  const lines = differences.slice(0, MAX_SHOWN).map(({ task_id, row_version, what }) => {
    const where = row_version === null ? "" : ` at version ${row_version}`;
    return `    ${wrap(`${cyan(task_id)}${where}: ${what}`, out.columns, 6)}`;
  });
  const hidden = differences.length - lines.length;
  const differ = count(differences.length, "task differs", "tasks differ");
  const found = `${bold(org)}: ${checked}: ${differ} from the journal: changed outside of Pawl.`;
  return [
    `${red("✗")} ${wrap(found, out.columns, 2)}`,
    ...lines,
    ...(hidden > 0 ? [`    … and ${hidden} more; --json lists them all.`] : []),
    "  Compare with a backup, and check who else can write to the database.",
  ].join("\n");
}
