import { PawlProblem } from "../../../client/index.ts";
import type { AnyClient } from "../../../client/index.ts";
import { logFileOf, noteInLog, runShell } from "./attempt-command.ts";
import type { Repository } from "./repository.ts";
import { setupEnvironment } from "./set-up-worktree.ts";
import type { SetupPlace, WorktreeSetup } from "./set-up-worktree.ts";
import { readRecord, writeRecord } from "./setup-record.ts";
import { worktreesOf } from "./worktree.ts";

type MaybeSetup = WorktreeSetup | null | undefined;

/** The last clean-up of each worktree: a task that is resumed during its clean-up waits for it. */
const lastCleanUps = new Map<string, Promise<void>>();

/** Runs the clean-up command in a worktree that was set up. Its failure is noted in the log; the attempt's result stays. */
export function cleanUpAfterAttempt(setup: MaybeSetup, place: Omit<SetupPlace, "signal">): Promise<void> {
  const { path } = place.worktree;
  const before = lastCleanUps.get(path) ?? Promise.resolve();
  const cleanUp = before.catch(() => undefined).then(() => runCleanUp(setup, place));
  lastCleanUps.set(path, cleanUp);
  return cleanUp.finally(() => {
    if (lastCleanUps.get(path) === cleanUp) lastCleanUps.delete(path);
  });
}

async function runCleanUp(setup: MaybeSetup, place: Omit<SetupPlace, "signal">): Promise<void> {
  if (!setup?.cleanup) return;
  const record = await readRecord(place);
  if (record === null || record.state === "cleaned") return;
  const { cleanup: command, cleanupTimeoutMs: timeoutMs } = setup;
  // The attempt's own signal may be aborted already; the time limit still applies.
  const { signal } = new AbortController();
  const { path: cwd } = place.worktree;
  await runShell({ ...place, command, timeoutMs, signal, cwd, env: setupEnvironment(place) }).catch(
    (error: unknown) =>
      noteInLog(place, `clean-up failed: ${(error as Error).message.split("\n", 1)[0] ?? ""}`),
  );
  await writeRecord(place, { ...record, state: "cleaned" }).catch(() => undefined);
}

/** Cleans up after attempts of a task whose worker was killed. */
export async function cleanUpLeftovers(
  setup: MaybeSetup,
  repository: Repository,
  { id: task_id, row_version }: { id: string; row_version: number },
): Promise<void> {
  if (!setup?.cleanup) return;
  const logFile = logFileOf(repository, task_id, row_version);
  for (const worktree of await worktreesOf(repository, task_id))
    await cleanUpAfterAttempt(setup, {
      ...{ repository, worktree, task_id, logFile },
      output: { append: () => undefined },
    });
}

/**
 * Cleans up after attempts that no worker continues: a person has stopped the task, or it failed while its worker was gone. Other
 * tasks may be at work, or about to be; agents of the tasks in `running` are still ending.
 */
export async function cleanUpAbandoned(
  setup: MaybeSetup,
  repository: Repository,
  { client, running }: { client: AnyClient; running: ReadonlySet<string> },
): Promise<void> {
  if (!setup?.cleanup) return;
  const ids = new Set((await worktreesOf(repository)).map(({ task_id }) => task_id));
  for (const id of ids) {
    if (running.has(id)) continue;
    const row_version = await abandonedVersion(client, id);
    if (row_version !== null) await cleanUpLeftovers(setup, repository, { id, row_version });
  }
}

/** Returns the version of a task that is finished, or on hold without a lease; null for others, and for tasks of other servers. */
async function abandonedVersion(client: AnyClient, id: string): Promise<number | null> {
  try {
    const { status, open_holds, lease, row_version } = await client.getTask({ id });
    const ended = status === "completed" || status === "failed";
    return ended || (open_holds > 0 && lease === null) ? row_version : null;
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 404) return null;
    throw error;
  }
}
