import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { worktreesOf } from "../../../src/lifecycles/code/worker/worktree.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { ASK, scriptedClaude } from "./scripted-claude.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const whenIn = (task: CodeTask, status: string) =>
  until(async () => (await getTask(task.id)).status === status);
const operate = (task: CodeTask, action: string, comment: string) =>
  server.act(task, action, undefined, { token: server.lea, lease_token: null, comment });

const CONTINUE = { settings: { continue: true } };

/** Notes the worktree, the session to continue and the prompt of each run, and counts the runs in `n`. */
const NOTE_RUN = `n=$(( $(cat "$NOTES/runs" 2>/dev/null || echo 0) + 1 )); echo $n > "$NOTES/runs"
pwd > "$NOTES/path-$n"; echo "$PAWL_SESSION" > "$NOTES/session-$n"; cp "$PAWL_PROMPT_FILE" "$NOTES/prompt-$n"
session s-1
`;

test("an answered question continues worktree, uncommitted work and session", async () => {
  const bench = await createTestRepository(server);
  const { add, work, note, read } = bench;
  const task = await add("Paint it");
  await work({
    agent: await scriptedClaude(
      bench,
      `${NOTE_RUN} if [ $n = 1 ]; then echo half > draft; ${ASK}; exit 0; fi; echo red > paint`,
    ),
  });
  await whenIn(task, "blocked");
  expect(await operate(task, "clear_blocker", "Red.")).toBe("ready");
  await whenIn(task, "completed");
  expect([await note("session-1"), await note("session-2")]).toEqual(["\n", "s-1\n"]);
  expect(await note("path-2")).toBe(await note("path-1"));
  expect(await note("prompt-2")).toContain("Your work on this task so far is in this worktree.");
  expect([await read("draft"), await read("paint")]).toEqual(["half", "red"]);
});

test("requested changes continue the session", async () => {
  const bench = await createTestRepository(server, { settings: { review: true } });
  const { add, work, note, read } = bench;
  const task = await add("Paint it");
  await work({ agent: await scriptedClaude(bench, `${NOTE_RUN} echo "colour $n" > paint`) });
  await whenIn(task, "review");
  expect(await operate(task, "request_changes", "Another colour")).toBe("ready");
  await until(async () => (await getTask(task.id)).runs.length === 2);
  await whenIn(task, "review");
  expect([await note("session-2"), await note("path-2")]).toEqual(["s-1\n", await note("path-1")]);
  expect(await note("prompt-2")).toContain("Another colour");
  expect(await operate(task, "approve", "Good")).toBe("ready");
  await whenIn(task, "completed");
  expect(await read("paint")).toBe("colour 2");
});

test("a failed attempt is continued with the setting on, with the failing output in the prompt", async () => {
  const bench = await createTestRepository(server, CONTINUE);
  const { add, work, note, read, history } = bench;
  const task = await add("Paint it");
  await work({
    verify: "test -e second || { echo second is missing; exit 1; }",
    agent: await scriptedClaude(
      bench,
      `${NOTE_RUN} if [ $n = 1 ]; then echo 1 > first; else echo 2 > second; fi`,
    ),
  });
  await whenIn(task, "completed");
  expect([await note("session-2"), await note("path-2")]).toEqual(["s-1\n", await note("path-1")]);
  const prompt = await note("prompt-2");
  expect(prompt).toContain("second is missing");
  expect(prompt).toContain("The changes of that attempt are in this worktree");
  expect([await read("first"), await read("second")]).toEqual(["1", "2"]);
  expect(await getTask(task.id)).toMatchObject({ attempts: 1, runs: [{ outcome: "retried" }, {}] });
  expect((await history()).length).toBeGreaterThan(0);
});

test("without the setting, the attempt after a failure starts clean and with a new session", async () => {
  const bench = await createTestRepository(server);
  const { add, work, note, git } = bench;
  const task = await add("Paint it");
  await work({
    verify: "test -e second",
    agent: await scriptedClaude(
      bench,
      `${NOTE_RUN} if [ $n = 1 ]; then echo 1 > first; else echo 2 > second; fi`,
    ),
  });
  await whenIn(task, "completed");
  expect(await note("session-2")).toBe("\n");
  expect(await note("prompt-2")).toContain("You start from a clean copy of main");
  expect(await git("ls-tree", "--name-only", "main")).toBe("list\nsecond");
});

test("after a conflict, the agent resolves marked lines on top of the new target; history stays linear", async () => {
  const bench = await createTestRepository(server, CONTINUE);
  const { add, work, note, read, git, open } = bench;
  const task = await add("Change the list");
  // While the agent works, someone else changes the same line on main.
  const meanwhile = `git -C ${bench.repo} update-ref refs/heads/main $(
    blob=$(echo uno | git hash-object -w --stdin); tree=$(printf '100644 blob %s\\tlist\\n' $blob | git mktree)
    git commit-tree $tree -p main -m meanwhile)`;
  await work({
    agent: await scriptedClaude(
      bench,
      `${NOTE_RUN} case $n in
        1) echo eins > list; git add list; git commit -qm "Eins"; ${meanwhile};;
        2) cp list "$NOTES/marked"; echo other > other;;
        *) cp list "$NOTES/still-marked"; echo "uno, eins" > list;;
      esac`,
    ),
  });
  await whenIn(task, "completed");
  expect(await note("marked")).toMatch(/^<<<<<<< .*\nuno\n=======\neins\n>>>>>>> /);
  expect(await note("prompt-2")).toContain("Merge conflict in list");
  // The second attempt left the marks, which are never merged.
  expect(await note("prompt-3")).toContain("The marks of a merge conflict are left in list");
  expect(await note("still-marked")).toBe(await note("marked"));
  expect([await note("session-3"), await note("path-3")]).toEqual(["s-1\n", await note("path-1")]);
  expect([await read("list"), await read("other")]).toEqual(["uno, eins", "other"]);
  expect(await git("log", "--merges", "--format=%H", "main")).toBe("");
  expect((await git("log", "--format=%H", `--grep=Pawl-Task: ${task.id}`, "main")).split("\n")).toHaveLength(
    1,
  );
  expect(await worktreesOf(await open(), task.id)).toEqual([]);
});

test("if the worktree is gone, the next attempt starts clean", async () => {
  const bench = await createTestRepository(server);
  const { add, work, note, read, git } = bench;
  const task = await add("Paint it");
  await work({
    agent: await scriptedClaude(
      bench,
      `${NOTE_RUN} if [ $n = 1 ]; then echo half > draft; ${ASK}; exit 0; fi; echo red > paint`,
    ),
  });
  await whenIn(task, "blocked");
  await git("worktree", "remove", "--force", (await note("path-1")).trim());
  expect(await operate(task, "clear_blocker", "Red.")).toBe("ready");
  await whenIn(task, "completed");
  expect(await note("session-2")).toBe("\n");
  expect(await read("paint")).toBe("red");
  expect(await git("ls-tree", "--name-only", "main")).toBe("list\npaint");
});

test("a session that the agent no longer has is begun anew, in the same attempt", async () => {
  const bench = await createTestRepository(server, CONTINUE);
  const { add, work, note, folder } = bench;
  const task = await add("Paint it");
  await work({
    verify: "test -e paint",
    agent: await scriptedClaude(
      bench,
      `if [ -n "$PAWL_SESSION" ]; then echo "$PAWL_SESSION" > "$NOTES/gone"; echo "No conversation found"; exit 1; fi
       ${NOTE_RUN} if [ $n = 1 ]; then echo 1 > first; else echo red > paint; fi`,
    ),
  });
  await whenIn(task, "completed");
  expect([await note("gone"), await note("session-2")]).toEqual(["s-1\n", "\n"]);
  expect(await getTask(task.id)).toMatchObject({ attempts: 1 });
  expect(await readFile(`${folder}/runs`, "utf8")).toBe("2\n");
});
