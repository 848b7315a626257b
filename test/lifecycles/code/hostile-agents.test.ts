import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { outdatedCheckouts, catchUp } from "../../../src/lifecycles/code/worker/user-checkouts.ts";
import { findWorktrees, cleanUp } from "../../../src/lifecycles/code/worker/clean-up.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const HOOKS = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-index-change"],
  ...["pre-rebase", "post-rewrite", "reference-transaction", "pre-auto-gc"],
];

const server = await startCodeServer();
const client = createClient({ url: server.url, token: server.wim });
async function whenFinal({ id }: CodeTask, wanted = "completed"): Promise<void> {
  await until(async () => ["completed", "failed"].includes((await server.getTask(id)).status));
  const { status, last_error } = await server.getTask(id);
  expect(status, String(last_error)).toBe(wanted);
}

/** `$NOTES/evil <name>` records that it ran, and copies its input to its output, as a filter does. */
async function openTrap() {
  const bench = await createTestRepository(server);
  const { folder } = bench;
  await writeFile(
    join(folder, "evil"),
    `#!/bin/sh\necho "$*" >> ${folder}/ran\ncase "$1" in *clean|*smudge|included|mine|other) exec cat;; esac\n`,
    { mode: 0o755 },
  );
  await mkdir(join(folder, "hooks"));
  for (const name of HOOKS)
    await writeFile(join(folder, "hooks", name), `#!/bin/sh\necho hook ${name} >> ${folder}/ran\n`, {
      mode: 0o755,
    });
  return { ...bench, ran: () => readFile(join(folder, "ran"), "utf8").catch(() => "") };
}

/** Does everything that Pawl does with the repository after the agent has ended. */
async function finishUp(
  { open }: TestRepository,
  repository: Awaited<ReturnType<TestRepository["open"]>>,
): Promise<void> {
  await findWorktrees(repository, client);
  for (const { path } of await outdatedCheckouts(repository)) await catchUp(repository, path);
  await cleanUp(repository, client, { olderThanMs: -1 });
  await cleanUp(await open(), client, { olderThanMs: -1, force: true });
}

describe("no program runs for an agent that", () => {
  test.each([
    [
      "puts its own repository into its worktree",
      `rm .git; git init -q; git config core.fsmonitor "$NOTES/evil fsmonitor"`,
    ],
    [
      "links its worktree to another repository",
      `git init -q "$NOTES/other"; git -C "$NOTES/other" config core.fsmonitor "$NOTES/evil fsmonitor"
       echo "gitdir: $NOTES/other/.git" > .git`,
    ],
    [
      "points its worktree's record to another repository",
      `git init -q "$NOTES/other"; git -C "$NOTES/other" config core.fsmonitor "$NOTES/evil fsmonitor"
       echo "$NOTES/other/.git" > "$(git rev-parse --git-dir)/commondir"`,
    ],
  ])("%s", async (_, attack) => {
    const trap = await openTrap();
    const { add, agent, work, ran } = trap;
    const repository = await trap.open();
    const task = await add("Write two", { max_attempts: 1 });
    const worker = await work({ agent: await agent(`echo two > two; ${attack}; exit 1`) });
    await whenFinal(task, "failed");
    await worker.stop();
    const after = await add("Write three");
    const next = await work({ agent: await agent("echo three > three") });
    await whenFinal(after);
    await next.stop();
    await finishUp(trap, repository);
    expect(await ran()).toBe("");
  });

  test("changes the settings of the repository", async () => {
    const trap = await openTrap();
    const { add, agent, work, ran, git, history } = trap;
    const repository = await trap.open();
    const attack = await add("Write two");
    const worker = await work({
      verify: "true",
      agent: await agent(`
        case "$1" in *Write*two*) ;; *) echo x > "file-$PAWL_TASK_ID"; exit 0;; esac
        echo two > two; echo '* filter=evil diff=evil merge=evil' > .gitattributes
        evil() { git config "$1" "$NOTES/evil $1"; }
        for key in core.fsmonitor core.sshCommand core.askPass core.pager core.editor sequence.editor gpg.program \\
          diff.external diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge filter.evil.process \\
          merge.evil.driver credential.helper; do evil $key; done
        git config core.hooksPath "$NOTES/hooks"
        git config commit.gpgSign true
        git config filter.evil.required true
        git config trailer.evil.command "$NOTES/evil trailer"
        git config alias.status "!$NOTES/evil alias"
        git config protocol.ext.allow always
        printf '[filter "evil"]\\n\\tclean = %s included\\n' "$NOTES/evil" > "$NOTES/included"
        git config include.path "$NOTES/included"
        git config extensions.worktreeConfig true
        git config --worktree core.fsmonitor "$NOTES/evil worktree"
        git config --worktree filter.evil.clean "$NOTES/evil worktree"`),
    });
    await whenFinal(attack);
    const after = [await add("Another"), await add("And another")];
    await Promise.all(after.map((task) => whenFinal(task)));
    await worker.stop();
    await finishUp(trap, repository);
    expect(await ran()).toBe("");
    expect(await history()).toEqual(["Write two", "Another", "And another"]);
    // The trap works: the user's own git runs these settings.
    await git("status").catch(() => undefined);
    expect(await ran()).not.toBe("");
  });

  test("commits by itself, with trailers that run a command", async () => {
    const trap = await openTrap();
    const { add, agent, work, ran, git } = trap;
    const task = await add("Write two");
    const worker = await work({
      agent: await agent(`
        echo two > two; git add two; git commit -qm 'Two' -m 'Reviewed-by: Ann'
        git config trailer.evil.command "$NOTES/evil trailer"; git config trailer.evil.key Evil`),
    });
    await whenFinal(task);
    await worker.stop();
    expect(await ran()).toBe("");
    expect(await git("log", "-1", "--format=%B", "main")).toBe(
      `Two\n\nReviewed-by: Ann\nPawl-Task: ${task.id}\n`,
    );
  });

  test("adds hooks to a repository that had none", async () => {
    const trap = await openTrap();
    const { add, agent, work, ran } = trap;
    const repository = await trap.open();
    const task = await add("Write two");
    const worker = await work({
      agent: await agent(
        `echo two > two; mkdir -p "$(git rev-parse --git-common-dir)/hooks"; cp "$NOTES"/hooks/* "$(git rev-parse --git-common-dir)/hooks/"`,
      ),
    });
    await whenFinal(task);
    await worker.stop();
    await finishUp(trap, repository).catch(() => undefined);
    expect(await ran()).toBe("");
  });

  test("changes the settings of a submodule", async () => {
    const trap = await openTrap();
    const { add, agent, work, ran, git, repo } = trap;
    await git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "inner");
    await git("commit", "--quiet", "-m", "with a submodule");
    const allowed = { COUNT: "1", KEY_0: "protocol.file.allow", VALUE_0: "always" };
    for (const [name, value] of Object.entries(allowed)) vi.stubEnv(`GIT_CONFIG_${name}`, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const repository = await trap.open();
    const task = await add("Write two", { max_attempts: 2 });
    const worker = await work({
      verify: "true",
      agent: await agent(`
        [ -e inner/list ] || exit 9
        echo two > two; echo more >> inner/list; echo '* filter=evil' > inner/.gitattributes
        for key in core.fsmonitor filter.evil.clean filter.evil.smudge; do
          git -C inner config $key "$NOTES/evil submodule $key"; done
        [ -e "$NOTES/again" ] && exit 0; touch "$NOTES/again"; exit 1`),
    });
    await whenFinal(task);
    await worker.stop();
    await findWorktrees(repository, client);
    await cleanUp(repository, client, { olderThanMs: -1 });
    expect(await ran()).toBe("");
  });
});

test("programs from the user's settings run as before", async () => {
  const trap = await openTrap();
  const { add, agent, work, ran, git, folder } = trap;
  await git("config", "filter.mine.clean", `${folder}/evil mine`);
  const task = await add("Write two");
  const worker = await work({
    agent: await agent(
      `echo two > two; echo 'two filter=mine' > .gitattributes; git config filter.mine.clean "$NOTES/evil other"`,
    ),
  });
  await whenFinal(task);
  await worker.stop();
  expect(new Set((await ran()).trim().split("\n"))).toEqual(new Set(["mine"]));
});

test("a title with control characters becomes a plain subject", async () => {
  const { add, agent, work, history } = await createTestRepository(server);
  const titles = ["\u001b[31mRed\u001b[0m\u202e and\r\n\u001b]0;blue\u0007 green", "\u202e\u0007"];
  const tasks = [];
  for (const title of titles) tasks.push(await add(title));
  await work({ agent: await agent('echo x > "file-$PAWL_TASK_ID"') });
  for (const { id } of tasks) await until(async () => (await server.getTask(id)).status === "completed");
  expect(await history()).toEqual(["Red and green", `Task ${String(tasks[1]?.id)}`]);
});
