import { expect, test } from "vitest";
import type { WorktreeSetup } from "../../../src/lifecycles/code/worker/set-up-worktree.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import { scriptedClaude } from "./scripted-claude.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();

const SETTINGS = {
  "change the output": {
    "color.ui": "always",
    "color.diff": "always",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "log.showSignature": "true",
    "status.showUntrackedFiles": "no",
  },
  "limit merges and commits": {
    "merge.ff": "only",
    "merge.verifySignatures": "true",
    "rebase.backend": "apply",
    "apply.whitespace": "error-all",
    "commit.cleanup": "strip",
    "core.commentChar": "C",
  },
};

/** Makes a file that is not ignored. */
const LITTERING: WorktreeSetup = {
  command: "echo x > litter",
  timeoutMs: 10_000,
  copy: [],
  caches: [],
  cleanup: null,
  cleanupTimeoutMs: 10_000,
};

test.each(Object.entries(SETTINGS))("user settings that %s change no attempt", async (_, settings) => {
  const bench = await createTestRepository(server, { settings: { continue: true } });
  const { add, work, note, read, git } = bench;
  for (const [name, value] of Object.entries(settings)) await git("config", name, value);
  const task = await add("Change the list");
  const meanwhile = `git -C ${bench.repo} update-ref refs/heads/main $(
    blob=$(echo uno | git hash-object -w --stdin); tree=$(printf '100644 blob %s\\tlist\\n' $blob | git mktree)
    git commit-tree $tree -p main -m meanwhile)`;
  await work({
    setup: LITTERING,
    agent: await scriptedClaude(
      bench,
      `n=$(( $(cat "$NOTES/runs" 2>/dev/null || echo 0) + 1 )); echo $n > "$NOTES/runs"
      cp "$PAWL_PROMPT_FILE" "$NOTES/prompt-$n"
      session s-1
      case $n in
        1) echo eins > list; printf 'a \\n' > spaces; ${meanwhile};;
        2) cp list "$NOTES/marked"; echo other > other;;
        *) cp list "$NOTES/still-marked"; echo "uno, eins" > list;;
      esac`,
    ),
  });
  await until(async () => (await server.getTask(task.id)).status === "completed");
  // The second attempt left the marks of the conflict, which are never merged.
  expect(await server.getTask(task.id)).toMatchObject({ attempts: 2 });
  expect(await note("marked")).toMatch(/^<<<<<<< .*\nuno\n([\s\S]*)=======\neins\n>>>>>>> /);
  expect(await note("prompt-2")).toContain("\n++=======\n");
  expect(await note("prompt-3")).toContain("The marks of a merge conflict are left in list");
  expect([await read("list"), await read("other"), await read("spaces")]).toEqual([
    "uno, eins",
    "other",
    "a ",
  ]);
  expect(await git("ls-tree", "--name-only", "main")).toBe("list\nother\nspaces");
  expect(await git("log", "--no-show-signature", "-n1", "--format=%B", "main")).toBe(
    `Change the list\n\nPawl-Task: ${task.id}\n`,
  );
});
