import { PawlError } from "../core/index.ts";
import { atServer, serverVersion } from "./at-server.ts";
import { doctorFindings, fine, notable, wrong } from "./doctor-findings.ts";
import type { Finding } from "./doctor-findings.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import { count, print } from "./print.ts";
import type { ConnectFlags, Screen, ServerFlags, CliEnvironment } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";

/** `pawl doctor` */
export async function runDoctor(
  environment: CliEnvironment,
  { json, url, ...flags }: ServerFlags & ConnectFlags & { json?: true },
): Promise<ExitCode> {
  const { out, admin } = environment;
  const connectFlags = {
    ...(url === undefined ? {} : { url }),
    ...(flags.data === undefined ? {} : { data: flags.data }),
  };
  const [server, report] = await Promise.all([
    inspectServer(environment, connectFlags),
    admin.inspect(flags),
  ]);
  const diagnoses = [...doctorFindings(report), ...server];
  const ok = diagnoses.every(({ state }) => state !== "wrong");
  print(out, { json, value: { ok, diagnoses }, text: () => findingsText(diagnoses, out) });
  return ok ? EXIT.fine : EXIT.finding;
}

/** A server that does not run is only a warning: the user may run `pawl doctor` to find out why. */
async function inspectServer(environment: CliEnvironment, flags: ConnectFlags): Promise<Finding[]> {
  try {
    return await atServer(environment, flags, async ({ client, target }) => {
      const [me, version] = await Promise.all([client.getMe(), serverVersion(client)]);
      const found = `${target.url} runs Pawl ${version ?? "?"}; you are ${me.id} of ${me.org_id}`;
      const advice = `This is Pawl ${environment.version}: use the same version on both sides.`;
      return [version === environment.version ? fine("server", found) : notable("server", found, advice)];
    });
  } catch (error) {
    // An error in the settings is already among the findings.
    if (error instanceof PawlError) return [];
    if (!(error instanceof CliError)) throw error;
    const finding = error.exitCode === EXIT.server ? notable : wrong;
    return [finding("server", error.message, error.hints.join(" "))];
  }
}

function findingsText(diagnoses: readonly Finding[], out: Screen): string {
  const { bold, green, red, yellow } = out.colours;
  const marks = { fine: green("✓"), notable: yellow("!"), wrong: red("✗") };
  const width = Math.max(...diagnoses.map(({ about }) => about.length)) + 4;
  const lines = diagnoses.flatMap(({ about, state, found, advice }) => [
    `${marks[state]} ${bold(about.padEnd(width - 2))}${wrap(found, out.columns, width)}`,
    ...(advice ? [`${" ".repeat(width)}${yellow(wrap(advice, out.columns, width))}`] : []),
  ]);
  const problems = diagnoses.filter(({ state }) => state === "wrong").length;
  const warnings = diagnoses.filter(({ state }) => state === "notable").length;
  const verdict = problems > 0 ? red(count(problems, "problem")) : green("no problems");
  const warned = warnings === 0 ? "" : `, ${yellow(count(warnings, "warning"))}`;
  return `${lines.join("\n")}\n\nFound ${verdict}${warned}.`;
}
