import { EXIT, CliError, print } from "../../../plugin/index.ts";
import type { ExitCode, CliEnvironment } from "../../../plugin/index.ts";
import { catchUp } from "../worker/user-checkouts.ts";
import { AttemptFailed } from "../worker/worker-errors.ts";
import { openRepositoryOrFault } from "./worktrees.ts";

/** `pawl code catch-up`: needs no server. */
export async function runCatchUp(
  { out }: CliEnvironment,
  { repo, json }: { repo: string; json?: true },
): Promise<ExitCode> {
  const repository = await openRepositoryOrFault({ path: repo });
  const { root, target } = repository;
  const from = await catchUp(repository, root).catch((error: unknown) => {
    if (!(error instanceof AttemptFailed)) throw error;
    throw new CliError(EXIT.finding, error.message, {
      document: { code: "OWN_CHANGES_IN_THE_WAY" },
      cause: error,
    });
  });
  return print(out, {
    json,
    value: { checkout: root, branch: target, from },
    text: () =>
      from === null
        ? `Your files in ${root} are up to date with ${target}.`
        : `Your files in ${root} are now up to date with ${target}. Your own changes were kept.`,
  });
}
