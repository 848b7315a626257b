import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AnyClient } from "../../../client/index.ts";
import { sleep } from "../../../std/retry.ts";
import { cleanUp, findWorktrees } from "./clean-up.ts";
import type { FoundWorktree } from "./clean-up.ts";
import { diskUsage, formatSize } from "./disk-usage.ts";
import type { Repository } from "./repository.ts";
import { CACHES } from "./setup-cache.ts";
import { archiveWorktree } from "./worktree.ts";

/** The space that worktrees and caches use, after clean-up. */
export type DiskReport = { used: number; worktrees: number; caches: number; removed: string[] };

/** How often a worker over its budget measures again, while its agents are at work. */
const RETRY_MS = 15_000;
/** Other workers use the same folder, so a measurement is only valid for a while. */
const MAX_AGE_MS = 60_000;

/**
 * Measures worktrees and caches, and removes what is not needed until they fit into the budget: first worktrees of completed
 * tasks, then those of failed tasks and those that wait for review, and then caches, the oldest first. All work stays in git:
 * on its branch, or under refs/pawl/kept/.
 */
export async function freeDiskSpace(
  repository: Repository,
  client: AnyClient,
  budget: number,
): Promise<DiskReport> {
  const report = await measure(repository);
  if (report.used <= budget) return report;
  await cleanUp(repository, client);
  const worktrees = join(repository.folder, "worktrees");
  let left = await measure(repository);
  const removed: string[] = [];
  const found = (await findWorktrees(repository, client)).sort((a, b) => b.ageMs - a.ageMs);
  for (const worktree of [...found.filter(isFailed), ...found.filter(isInReview)]) {
    if (left.used <= budget) break;
    if (!(await removeIfKept(repository, worktree))) continue;
    removed.push(worktree.path);
    left = { ...left, ...sum(await diskUsage(worktrees), left.caches) };
  }
  for (const cache of await oldestCaches(repository)) {
    if (left.used <= budget) break;
    await rm(cache, { recursive: true, force: true });
    removed.push(cache);
    left = { ...left, ...sum(left.worktrees, await diskUsage(join(repository.folder, CACHES))) };
  }
  return { ...left, removed };
}

async function measure({ folder }: Repository): Promise<DiskReport> {
  const worktrees = await diskUsage(join(folder, "worktrees"));
  return { ...sum(worktrees, await diskUsage(join(folder, CACHES))), removed: [] };
}

function sum(worktrees: number, caches: number): Omit<DiskReport, "removed"> {
  return { used: worktrees + caches, worktrees, caches };
}

function isFailed({ status }: FoundWorktree): boolean {
  return status === "failed";
}

function isInReview({ status, branch }: FoundWorktree): boolean {
  return status === "review" && branch !== null;
}

/** Removes a worktree whose work is in git, or can be put there; returns whether it is gone. */
async function removeIfKept(repository: Repository, worktree: FoundWorktree): Promise<boolean> {
  const { path, status } = worktree;
  // Git cannot keep the files of a folder that an agent has replaced.
  if (!repository.owns(path)) return false;
  try {
    if (status === "failed") await archiveWorktree(repository, worktree);
    // Without --force, git refuses to remove a worktree with changes. The branch stays for the review.
    else await repository.git(["worktree", "remove", path]);
    return true;
  } catch {
    return false;
  }
}

async function oldestCaches({ folder }: Repository): Promise<string[]> {
  const caches = join(folder, CACHES);
  const names = (await readdir(caches).catch(() => [])).filter((name) => !name.startsWith("."));
  const aged = await Promise.all(
    names.map(async (name) => ({
      path: join(caches, name),
      usedAt: (await stat(join(caches, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  return aged.sort((a, b) => a.usedAt - b.usedAt).map(({ path }) => path);
}

export type BudgetOptions = {
  repository: Repository;
  client: AnyClient;
  budget: number;
  /** The number of agents at work. */
  running: () => number;
  onExceeded: (message: string) => void;
};

/** Keeps a worker from claiming tasks while its worktrees and caches exceed the budget. */
export class DiskBudget {
  private readonly options: BudgetOptions;
  private measuredAt = -Infinity;
  private exceeded = false;

  constructor(options: BudgetOptions) {
    this.options = options;
  }

  /** Makes the next claim measure again. */
  changed(): void {
    this.measuredAt = -Infinity;
  }

  /**
   * Waits until there is space. Returns the reason if there is none and no agent is at work, so that waiting would not help;
   * otherwise null.
   */
  async untilFree(signal: AbortSignal): Promise<string | null> {
    const { repository, client, budget, running, onExceeded } = this.options;
    while (!signal.aborted && performance.now() - this.measuredAt > MAX_AGE_MS) {
      const report = await freeDiskSpace(repository, client, budget);
      if (report.used <= budget) {
        this.measuredAt = performance.now();
        this.exceeded = false;
        break;
      }
      const message = messageOf(repository, report, budget);
      if (running() === 0) return message;
      if (!this.exceeded) onExceeded(message);
      this.exceeded = true;
      await sleep(RETRY_MS, signal).catch(() => undefined);
    }
    return null;
  }
}

function messageOf({ folder }: Repository, { used, worktrees, caches }: DiskReport, budget: number): string {
  return [
    `The disk budget of ${formatSize(budget)} is exceeded: ${formatSize(used)} in ${folder}`,
    `(worktrees ${formatSize(worktrees)}, caches ${formatSize(caches)}), and nothing more may be removed.`,
    "No more tasks are claimed. Raise --disk-budget, or see `pawl code worktrees`.",
  ].join(" ");
}
