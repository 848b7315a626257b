import { shortId } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { Repository } from "../worker/repository.ts";
import type { TaskControls } from "./run-controls.ts";

const MAX_LINE_LENGTH = 1_000;

/** Makes the controls of the live view. They act as the user who runs `pawl code run`, not as its worker. */
export function taskControls(client: Client, repository: Repository): TaskControls {
  const calls = client.calls(CODE_ROUTES);
  return {
    diff: async (id, worktree) => {
      const text =
        worktree === null
          ? (await calls.readCodeDiff({ id })).diff
          : await worktreeDiff(repository, worktree);
      return text.split("\n").map((line) => line.replaceAll("\t", "    ").slice(0, MAX_LINE_LENGTH));
    },
    stop: async (id) => {
      await calls.moveCodeTask({ id, action: "interrupt" });
      return `${shortId(id)} is stopping and will be paused; r resumes it.`;
    },
    retry: async (id) => {
      const { status } = await client.getTask({ id });
      if (status === "failed") {
        const copy = await calls.retryCodeTask({ id });
        return `${shortId(id)} is retried as ${shortId(copy.id)}.`;
      }
      await calls.moveCodeTask({ id, action: "resume" });
      return `${shortId(id)} is resumed.`;
    },
  };
}

/** Reads the changes of a worktree at work: names of all files, and the changes to those that git tracks. */
async function worktreeDiff({ inside, target }: Repository, path: string): Promise<string> {
  const git = inside(path);
  const base = await git(["merge-base", `refs/heads/${target}`, "HEAD"]);
  const [untracked, diff] = await Promise.all([
    git(["ls-files", "--others", "--exclude-standard"]),
    git(["diff", "--no-ext-diff", "--no-textconv", base]),
  ]);
  const added = untracked === "" ? [] : untracked.split("\n").map((name) => `new file: ${name}`);
  return [...added, diff].join("\n").trim();
}
