import { PawlError } from "../core/index.ts";
import { atServer, serverVersion } from "./at-server.ts";
import { diagnose, fine, notable, wrong } from "./diagnose.ts";
import type { Diagnosis } from "./diagnose.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import { count, print } from "./print.ts";
import type { ReachFlags, Screen, ServerFlags, Surroundings } from "./surroundings.ts";
import { wrap } from "./wrap.ts";

/** `pawl doctor` */
export async function examine(
  surroundings: Surroundings,
  { json, url, ...flags }: ServerFlags & ReachFlags & { json?: true },
): Promise<ExitCode> {
  const { out, house } = surroundings;
  const reach = {
    ...(url === undefined ? {} : { url }),
    ...(flags.data === undefined ? {} : { data: flags.data }),
  };
  const [server, examination] = await Promise.all([lookAtServer(surroundings, reach), house.examine(flags)]);
  const diagnoses = [...diagnose(examination), ...server];
  const ok = diagnoses.every(({ state }) => state !== "wrong");
  print(out, { json, value: { ok, diagnoses }, text: () => diagnosesText(diagnoses, out) });
  return ok ? EXIT.fine : EXIT.finding;
}

/** That none runs is no fault: perhaps that is why the doctor was called. */
async function lookAtServer(surroundings: Surroundings, flags: ReachFlags): Promise<Diagnosis[]> {
  try {
    return await atServer(surroundings, flags, async ({ client, place }) => {
      const [me, version] = await Promise.all([client.getMe(), serverVersion(client)]);
      const found = `${place.url} runs Pawl ${version ?? "?"}; you are ${me.id} of ${me.org_id}`;
      const advice = `This is Pawl ${surroundings.version}: use the same version on both sides.`;
      return [version === surroundings.version ? fine("server", found) : notable("server", found, advice)];
    });
  } catch (error) {
    // A mistake in the settings has been told of them already.
    if (error instanceof PawlError) return [];
    if (!(error instanceof Fault)) throw error;
    const say = error.exitCode === EXIT.server ? notable : wrong;
    return [say("server", error.message, error.more.join(" "))];
  }
}

function diagnosesText(diagnoses: readonly Diagnosis[], out: Screen): string {
  const { bold, green, red, yellow } = out.colours;
  const marks = { fine: green("✓"), notable: yellow("!"), wrong: red("✗") };
  const width = Math.max(...diagnoses.map(({ about }) => about.length)) + 4;
  const lines = diagnoses.flatMap(({ about, state, found, advice }) => [
    `${marks[state]} ${bold(about.padEnd(width - 2))}${wrap(found, out.columns, width)}`,
    ...(advice ? [`${" ".repeat(width)}${yellow(wrap(advice, out.columns, width))}`] : []),
  ]);
  const ill = diagnoses.filter(({ state }) => state === "wrong").length;
  const odd = diagnoses.filter(({ state }) => state === "notable").length;
  const verdict = ill > 0 ? red(`${count(ill, "thing is", "things are")} wrong`) : green("nothing is wrong");
  const noted = odd === 0 ? "" : `, ${yellow(`${count(odd, "thing", "things")} to note`)}`;
  return `${lines.join("\n")}\n\n${verdict}${noted}.`;
}
