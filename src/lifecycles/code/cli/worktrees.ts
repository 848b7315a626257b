import {
  atServer,
  count,
  EXIT,
  Fault,
  isWatched,
  print,
  shortId,
  stretch,
  textTable,
} from "../../../plugin/index.ts";
import type { ExitCode, ReachFlags, Screen, Surroundings } from "../../../plugin/index.ts";
import { openRepository } from "../worker/repository.ts";
import type { Repository } from "../worker/repository.ts";
import { Trouble } from "../worker/setback.ts";
import { findWorktrees, tidyUp } from "../worker/tidy-up.ts";
import type { FoundWorktree, Tidied } from "../worker/tidy-up.ts";
import { keptWork } from "../worker/worktree.ts";
import type { KeptWork } from "../worker/worktree.ts";

export type Looking = ReachFlags & {
  json?: true;
  repo: string;
  target?: string;
  worktrees?: string;
  reap?: true;
  olderThan: number;
  force?: true;
};

const DAY_MS = 86_400_000;

/** `pawl code worktrees`: what lies there, and with --reap what nobody needs any more goes. */
export function lookAtWorktrees(surroundings: Surroundings, looking: Looking): Promise<ExitCode> {
  const { out } = surroundings;
  const { repo, target, worktrees: folder, reap, olderThan, force = false, json } = looking;
  if (force && !reap) throw new Fault(EXIT.usage, "--force goes with --reap.");
  return atServer(surroundings, looking, async ({ client }) => {
    const repository = await opened({ path: repo, target, folder });
    if (reap) {
      const tidied = await tidyUp(repository, client, { olderThanMs: olderThan * DAY_MS, force });
      return print(out, { json, value: tidied, text: () => tidiedText(tidied) });
    }
    const [worktrees, kept] = [await findWorktrees(repository, client), await keptWork(repository)];
    return print(out, { json, value: { worktrees, kept }, text: () => listText(worktrees, kept, out) });
  });
}

/** What is wrong with a repository is told like any other wrong use. */
export async function opened(options: Parameters<typeof openRepository>[0]): Promise<Repository> {
  try {
    return await openRepository(options);
  } catch (error) {
    throw asUsage(error, "UNUSABLE_REPOSITORY");
  }
}

export function asUsage(error: unknown, code: string): unknown {
  return error instanceof Trouble ? new Fault(EXIT.usage, error.message, { document: { code } }) : error;
}

function tidiedText({ removed, kept, dropped }: Tidied): string {
  return [
    `${count(removed.length, "worktree")} removed.`,
    ...(dropped.length === 0 ? [] : [`${count(dropped.length, "piece")} of unmerged work dropped.`]),
    ...(kept.length === 0
      ? []
      : [
          `${count(kept.length, "piece")} of unmerged work kept; \`pawl code worktrees\` lists them, --force drops them.`,
        ]),
  ].join("\n");
}

function listText(worktrees: readonly FoundWorktree[], kept: readonly KeptWork[], out: Screen): string {
  const id = (task_id: string) => (isWatched(out) ? shortId(task_id) : task_id);
  const rows = worktrees.map(({ task_id, status, unmerged, ageMs, path }) => [
    ...[id(task_id), status, stretch(ageMs), unmerged ? "unmerged work" : "", path],
  ]);
  const work = kept.map(({ task_id, at, subject, ref }) => [
    id(task_id),
    stretch(Date.now() - at),
    subject,
    ref,
  ]);
  const parts = [
    ...(rows.length === 0 ? [] : [textTable(["TASK", "STATUS", "AGE", "", "WORKTREE"], rows, out)]),
    ...(work.length === 0 ? [] : [textTable(["TASK", "AGE", "KEPT WORK", "git branch <name> …"], work, out)]),
  ];
  return parts.length === 0 ? "There are no worktrees, and no work is kept." : parts.join("\n\n");
}
