import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { childEnvironment } from "./git.ts";
import type { Repository } from "./repository.ts";
import { WorkerUnusable } from "./worker-errors.ts";

const GH_TIMEOUT_MS = 60_000;

/** Where finished work is pushed. */
export type Remote = {
  name: string;
  /** As configured when the worker started: agents can write to the repository's settings. */
  url: string;
  /** Whether `gh` opens a pull request for work that waits for review. */
  pullRequests: boolean;
};

/** Reads a remote; throws WorkerUnusable if there is none with this name. */
export async function openRemote(
  { git, root }: Repository,
  name: string,
  pullRequests: boolean,
): Promise<Remote> {
  const url = await git(["remote", "get-url", "--push", name]).catch(() => null);
  if (url === null) throw new WorkerUnusable(`${root} has no remote ${name}: add it with git remote add.`);
  return { name, url, pullRequests };
}

/** Pushes a task's branch, in place of earlier work on it. */
export async function pushBranch(
  { git }: Repository,
  { url }: Remote,
  { branch, commit }: { branch: string; commit: string },
): Promise<void> {
  await git(["push", "--quiet", url, `+${commit}:refs/heads/${branch}`]);
}

/** Pushes the target, never by force. */
export async function pushTarget({ git, target }: Repository, { url }: Remote): Promise<void> {
  await git(["push", "--quiet", url, `refs/heads/${target}:refs/heads/${target}`]);
}

/**
 * Pushes merged work: first its branch, so that the remote recognizes the pull request as merged, then the target. The branch is
 * removed if the remote has it.
 */
export async function pushMerged(
  repository: Repository,
  remote: Remote,
  { branch, commit }: { branch: string | null; commit: string },
): Promise<void> {
  if (branch !== null) await pushBranch(repository, remote, { branch, commit });
  await pushTarget(repository, remote);
  if (branch !== null)
    await repository.git(["push", "--quiet", remote.url, `:refs/heads/${branch}`]).catch(() => undefined);
}

/** Opens a pull request for a pushed branch, or finds the one that is open; returns its address. */
export async function openPullRequest(
  { root, target }: Repository,
  { url }: Remote,
  { branch, title, body }: { branch: string; title: string; body: string },
): Promise<string> {
  const gh = async (args: readonly string[]) => {
    const env = { ...childEnvironment(), GH_PROMPT_DISABLED: "1" };
    const { stdout } = await promisify(execFile)("gh", [...args, "--repo", url], {
      ...{ cwd: root, env, timeout: GH_TIMEOUT_MS },
    });
    return stdout.trim();
  };
  const open = await gh(["pr", "view", branch, "--json", "url", "--jq", ".url"]).catch(() => "");
  const printed =
    open === ""
      ? await gh(["pr", "create", "--head", branch, "--base", target, "--title", title, "--body", body])
      : open;
  const address = /https?:\/\/\S+/g.exec(printed)?.[0];
  if (address === undefined) throw new Error(`gh printed no address of the pull request: ${printed}`);
  return address;
}
