import { EXIT, Fault, print } from "../../../plugin/index.ts";
import type { ExitCode, Surroundings } from "../../../plugin/index.ts";
import { catchUp } from "../worker/checkouts.ts";
import { Setback } from "../worker/setback.ts";
import { opened } from "./worktrees.ts";

/** `pawl code catch-up`: no server is needed for it. */
export async function bringAlong(
  { out }: Surroundings,
  { repo, json }: { repo: string; json?: true },
): Promise<ExitCode> {
  const repository = await opened({ path: repo });
  const { root, target } = repository;
  const from = await catchUp(repository, root).catch((error: unknown) => {
    if (!(error instanceof Setback)) throw error;
    throw new Fault(EXIT.finding, error.message, {
      document: { code: "OWN_CHANGES_IN_THE_WAY" },
      cause: error,
    });
  });
  return print(out, {
    json,
    value: { checkout: root, branch: target, from },
    text: () =>
      from === null
        ? `Your files in ${root} are those of ${target}.`
        : `Your files in ${root} are at ${target} now, with changes of your own kept.`,
  });
}
