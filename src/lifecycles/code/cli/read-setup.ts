import type { CliEnvironment } from "../../../plugin/index.ts";
import { pathProblem } from "../worker/path-inside.ts";
import type { Repository } from "../worker/repository.ts";
import type { WorktreeSetup } from "../worker/set-up-worktree.ts";
import { parseSetupCache } from "../worker/setup-cache.ts";
import { readSetupFile, SETUP_FILE } from "../worker/setup-file.ts";
import { WorkerUnusable } from "../worker/worker-errors.ts";
import { CLEANUP_TIMEOUT_MINUTES, SETUP_TIMEOUT_MINUTES } from "./setup-options.ts";
import type { SetupOptions } from "./setup-options.ts";
import { asUsageFault } from "./worktrees.ts";

const MINUTE_MS = 60_000;

/** Combines the options with the set-up file of the target branch; an option replaces the file's value. Returns null if there is no set-up. */
export async function setupOf(
  { err }: Pick<CliEnvironment, "err">,
  repository: Repository,
  options: SetupOptions,
): Promise<WorktreeSetup | null> {
  try {
    const read = options.setupFile ? await readSetupFile(repository) : null;
    const { file = {} } = read ?? {};
    const setup: WorktreeSetup = {
      command: options.setup ?? file.setup ?? null,
      copy: (options.copy ?? file.copy ?? []).map(validPattern),
      caches: (options.setupCache ?? file.setup_cache ?? []).map(parseSetupCache),
      timeoutMs: (options.setupTimeout ?? file.setup_timeout_minutes ?? SETUP_TIMEOUT_MINUTES) * MINUTE_MS,
      cleanup: options.cleanup ?? file.cleanup ?? null,
      cleanupTimeoutMs:
        (options.cleanupTimeout ?? file.cleanup_timeout_minutes ?? CLEANUP_TIMEOUT_MINUTES) * MINUTE_MS,
      fileId: options.setupFile ? (read?.id ?? null) : undefined,
    };
    if (setup.caches.length > 0 && setup.command === null)
      throw new WorkerUnusable("A set-up cache needs a set-up command: --setup.");
    if (read !== null) err.write(`Set-up from ${SETUP_FILE} on ${repository.target}: ${describe(setup)}\n`);
    const isEmpty = setup.command === null && setup.copy.length === 0 && setup.cleanup === null;
    return isEmpty && read === null ? null : setup;
  } catch (error) {
    throw asUsageFault(error, "INVALID_SETUP");
  }
}

function validPattern(pattern: string): string {
  const problem = pathProblem(pattern);
  if (problem !== null) throw new WorkerUnusable(`Invalid pattern "${pattern}" of --copy: ${problem}.`);
  return pattern;
}

/** Names the commands that will run, because they run outside of the agent's sandbox. */
function describe({ command, copy, cleanup }: WorktreeSetup): string {
  const parts = [
    ...(command === null ? [] : [command]),
    ...(copy.length === 0 ? [] : [`copies ${copy.join(", ")}`]),
    ...(cleanup === null ? [] : [`clean-up: ${cleanup}`]),
  ];
  return parts.join("; ") || "nothing";
}
