import {
  atServer,
  count,
  EXIT,
  CliError,
  isTty,
  print,
  shortId,
  formatDuration,
  textTable,
} from "../../../plugin/index.ts";
import type { ExitCode, ConnectFlags, Screen, CliEnvironment } from "../../../plugin/index.ts";
import { openRepository } from "../worker/repository.ts";
import type { Repository } from "../worker/repository.ts";
import { WorkerUnusable } from "../worker/worker-errors.ts";
import { findWorktrees, cleanUp } from "../worker/clean-up.ts";
import type { FoundWorktree, CleanUpReport } from "../worker/clean-up.ts";
import { keptWork } from "../worker/worktree.ts";
import type { KeptWork } from "../worker/worktree.ts";

export type WorktreesOptions = ConnectFlags & {
  json?: true;
  repo: string;
  target?: string;
  worktrees?: string;
  reap?: true;
  olderThan: number;
  force?: true;
};

const DAY_MS = 86_400_000;

/** `pawl code worktrees`: lists worktrees and kept work; with --reap removes what is no longer needed. */
export function showWorktrees(environment: CliEnvironment, options: WorktreesOptions): Promise<ExitCode> {
  const { out } = environment;
  const { repo, target, worktrees: folder, reap, olderThan, force = false, json } = options;
  if (force && !reap) throw new CliError(EXIT.usage, "--force requires --reap.");
  return atServer(environment, options, async ({ client }) => {
    const repository = await openRepositoryOrFault({ path: repo, target, folder });
    if (reap) {
      const report = await cleanUp(repository, client, { olderThanMs: olderThan * DAY_MS, force });
      return print(out, { json, value: report, text: () => reportText(report) });
    }
    const [worktrees, kept] = [await findWorktrees(repository, client), await keptWork(repository)];
    return print(out, { json, value: { worktrees, kept }, text: () => listText(worktrees, kept, out) });
  });
}

/** Opens a repository; reports an unusable one as a usage fault. */
export async function openRepositoryOrFault(
  options: Parameters<typeof openRepository>[0],
): Promise<Repository> {
  try {
    return await openRepository(options);
  } catch (error) {
    throw asUsageFault(error, "UNUSABLE_REPOSITORY");
  }
}

export function asUsageFault(error: unknown, code: string): unknown {
  return error instanceof WorkerUnusable
    ? new CliError(EXIT.usage, error.message, { document: { code } })
    : error;
}

function reportText({ removed, kept, dropped }: CleanUpReport): string {
  return [
    `${count(removed.length, "worktree")} removed.`,
    ...(dropped.length === 0 ? [] : [`${count(dropped.length, "piece")} of unmerged work dropped.`]),
    ...(kept.length === 0
      ? []
      : [
          `${count(kept.length, "piece")} of unmerged work kept; \`pawl code worktrees\` lists it, --force drops it.`,
        ]),
  ].join("\n");
}

function listText(worktrees: readonly FoundWorktree[], kept: readonly KeptWork[], out: Screen): string {
  const id = (task_id: string) => (isTty(out) ? shortId(task_id) : task_id);
  const rows = worktrees.map(({ task_id, status, unmerged, ageMs, path }) => [
    ...[id(task_id), status, formatDuration(ageMs), unmerged ? "unmerged work" : "", path],
  ]);
  const work = kept.map(({ task_id, at, subject, ref }) => [
    id(task_id),
    formatDuration(Date.now() - at),
    subject,
    ref,
  ]);
  const parts = [
    ...(rows.length === 0 ? [] : [textTable(["TASK", "STATUS", "AGE", "", "WORKTREE"], rows, out)]),
    ...(work.length === 0 ? [] : [textTable(["TASK", "AGE", "KEPT WORK", "git branch <name> …"], work, out)]),
  ];
  return parts.length === 0 ? "No worktrees and no kept work." : parts.join("\n\n");
}
