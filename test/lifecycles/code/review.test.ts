import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, snapshotOf } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";
import { keptWork, worktreesOf } from "../../../src/lifecycles/code/worker/worktree.ts";
import { openRemote } from "../../../src/lifecycles/code/worker/publish.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const ON = { settings: { review: true, operator_controls: true } };
const whenIn = (task: CodeTask, status: string) =>
  until(async () => (await getTask(task.id)).status === status);
const operate = (task: CodeTask, action: string, more: object = {}) =>
  server.act(task, action, undefined, { token: server.lea, lease_token: null, ...more });
const eventsOf = async ({ id }: CodeTask) =>
  bodyOf<{ events: { action: string; comment: string | null }[] }>(
    200,
    await server.ask(`GET /api/tasks/${id}/events`, { token: server.lea }),
  ).events;

type Review = { state: string; commit: string; branch: string; pull_request: string | null };
const reviewOf = async ({ id }: CodeTask) => (await getTask(id)).review_request as Review;

/** Adds a task and runs it until it waits for review. */
async function reviewed(bench: TestRepository, script: string, title = "Write two") {
  const task = await bench.add(title);
  const worker = await bench.work({ agent: await bench.agent(script) });
  await whenIn(task, "review");
  return { task, worker };
}

describe("work that needs a review", () => {
  test("waits on its branch, is merged after the approval without the agent, and leaves nothing behind", async () => {
    const bench = await createTestRepository(server, ON);
    const { git, history, read, repo, open, note } = bench;
    await writeFile(join(repo, "draft"), "mine\n");
    const before = await snapshotOf(bench);
    const script = `echo run >> "$NOTES/runs"; echo two > two`;
    const { task, worker } = await reviewed(bench, script);
    const { branch, commit } = await reviewOf(task);
    expect(await history()).toEqual([]);
    expect(await git("rev-parse", branch)).toBe(commit);
    expect(await git("show", `${branch}:two`)).toBe("two");
    expect(await getTask(task.id)).toMatchObject({
      worker: null,
      attempts: 0,
      runs: [{ outcome: "review", commit }],
    });
    const diff = bodyOf(200, await server.ask(`GET /api/code/tasks/${task.id}/diff`, { token: server.vic }));
    expect(diff).toMatchObject({ commit, files: 1, added: 1, removed: 0, truncated: false });
    expect(diff.diff).toContain("+++ b/two\n@@ -0,0 +1 @@\n+two");
    // Others merge meanwhile: the approved work is replayed.
    const other = await git("commit-tree", "main^{tree}", "-p", "main", "-m", "other");
    await git("update-ref", "refs/heads/main", other);
    expect(await operate(task, "approve")).toBe("ready");
    await whenIn(task, "completed");
    await worker.stop();
    expect(await history()).toEqual(["other", "Write two"]);
    expect([await read("two"), await note("runs")]).toEqual(["two", "run\n"]);
    expect((await getTask(task.id)).commit).toBe(await git("rev-parse", "main"));
    expect(await git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
    expect(await worktreesOf(await open())).toEqual([]);
    expect(await snapshotOf(bench)).toEqual(before);
  });

  test("goes back to the agent in the same worktree, with the reviewer's comment and without counting an attempt", async () => {
    const bench = await createTestRepository(server, ON);
    const { history, note, read } = bench;
    const { task } = await reviewed(
      bench,
      `pwd >> "$NOTES/folders"
       if [ -e two ]; then cp "$PAWL_PROMPT_FILE" "$NOTES/second"; echo 2 > two; exit 0; fi
       echo two > two; echo cached > .cache; echo .cache > .gitignore`,
    );
    expect(await operate(task, "request_changes")).toBe("COMMENT_REQUIRED");
    expect(await operate(task, "request_changes", { comment: "Write it as a digit." })).toBe("ready");
    await until(
      async () => (await reviewOf(task)).state === "waiting" && (await getTask(task.id)).status === "review",
    );
    const second = await note("second");
    expect(second).toContain("## Changes requested");
    expect(second).toContain("Write it as a digit.");
    expect(second).not.toContain("clean copy");
    const [first, again] = (await note("folders")).split("\n");
    expect(again).toBe(first);
    expect(await getTask(task.id)).toMatchObject({ attempts: 0 });
    await operate(task, "approve");
    await whenIn(task, "completed");
    expect([await history(), await read("two")]).toEqual([["Write two", "Write two"], "2"]);
  });

  test("is verified before the review, and again on the replayed state before the merge", async () => {
    const bench = await createTestRepository(server, ON);
    const { git, add, agent, work, history, folder, note } = bench;
    const task = await add("Write two");
    await work({
      verify: `echo $(ls) >> ${folder}/seen; test ! -e clash`,
      agent: await agent(
        `test -e clash && git rm -q clash; cp "$PAWL_PROMPT_FILE" "$NOTES/prompt"; echo two > two`,
      ),
    });
    await whenIn(task, "review");
    await writeFile(join(bench.repo, "clash"), "x");
    await git("add", "clash");
    await git("commit", "-qm", "clash");
    const { commit } = await reviewOf(task);
    await operate(task, "approve");
    // The merge of the approved work fails: the approval is void, and the agent works again.
    await until(async () => (await getTask(task.id)).attempts === 1);
    await whenIn(task, "review");
    expect((await note("seen")).split("\n").slice(0, 3)).toEqual(["list two", "clash list two", "list two"]);
    expect(await note("prompt")).toContain(`It is commit ${commit}`);
    expect(await history()).toEqual(["clash"]);
    await operate(task, "approve");
    await whenIn(task, "completed");
    expect(await history()).toEqual(["clash", "Write two"]);
  });

  test("merges exactly the approved commit, and keeps what was added to its worktree since", async () => {
    const bench = await createTestRepository(server, ON);
    const { open, git, read } = bench;
    const { task, worker } = await reviewed(bench, "echo two > two");
    await worker.stop();
    const [left] = await worktreesOf(await open());
    await writeFile(join(left!.path, "two"), "changed after the review\n");
    await writeFile(join(left!.path, "three"), "three\n");
    await operate(task, "approve");
    await bench.work({ agent: "false" });
    await whenIn(task, "completed");
    expect(await read("two")).toBe("two");
    expect(await git("ls-tree", "--name-only", "main")).toBe("list\ntwo");
    const [kept] = await keptWork(await open());
    expect(await git("show", `${kept!.commit}:three`)).toBe("three");
  });

  test("can be chosen or left out by a task, whatever the setting of the project is", async () => {
    const { add, agent, work } = await createTestRepository(server);
    const chosen = await add("Write two", { review: true });
    const plain = await add("Write three");
    const other = await createTestRepository(server, ON);
    const without = await other.add("Write four", { review: false });
    await work({ agent: await agent(`echo "$PAWL_TASK_ID" > "$PAWL_TASK_ID"`) });
    await other.work({ agent: await other.agent("echo four > four") });
    await Promise.all([whenIn(chosen, "review"), whenIn(plain, "completed"), whenIn(without, "completed")]);
  });

  test("is given back with a clear error by a worker whose repository lacks it", async () => {
    const bench = await createTestRepository(server, ON);
    const { task, worker } = await reviewed(bench, "echo two > two");
    await worker.stop();
    const elsewhere = await createTestRepository(server, { ...ON, project_id: "elsewhere" });
    await elsewhere.git("config", "pawl.repository", bench.repo);
    await operate(task, "approve");
    const runs = `${elsewhere.folder}/runs`;
    const stranger = await createWorkerFor(elsewhere, bench.project_id, `touch ${runs}`);
    await until(async () => (await getTask(task.id)).needs_attention === true);
    await stranger.stop({ graceMs: 0 });
    const given = await getTask(task.id);
    expect(given).toMatchObject({ status: "ready", attempts: 0, needs_attention: true });
    expect(given.last_error).toMatch(
      /reviewed commit [0-9a-f]{12} of pawl\/.* is not in .*Another machine has it/,
    );
    expect(Date.parse(String(given.available_at))).toBeGreaterThan(Date.now() + 30_000);
    expect(await readFile(runs, "utf8").catch(() => null)).toBeNull();
    expect(await elsewhere.history()).toEqual([]);
  });

  test("cannot be approved or merged by the agent, even if its worker is a lead", async () => {
    const boss = await server.member({ id: "boss", kind: "worker", roles: ["worker", "lead", "admin"] });
    const task = bodyOf<CodeTask>(
      201,
      await server.ask("POST /api/code/tasks", { token: boss, body: { title: "Fix it", review: true } }),
    );
    const claimed = bodyOf<{ tasks: CodeTask[] }>(
      200,
      await server.ask("POST /api/code/claims", { token: boss, body: {} }),
    ).tasks[0]!;
    expect(claimed.id).toBe(task.id);
    const by = { token: boss };
    await server.act(claimed, "start", { worktree: "/w", branch: "pawl/1" }, by);
    const { token } = bodyOf<{ token: string }>(
      201,
      await server.ask(`POST /api/code/tasks/${task.id}/agent-token`, {
        token: boss,
        body: { lease_token: claimed.lease_token },
      }),
    );
    const commit = "a".repeat(40);
    expect(await server.act(claimed, "complete", { commit }, by)).toBe("REVIEW_REQUIRED");
    expect(await server.act(claimed, "record_merge", { commit }, by)).toBe("REVIEW_REQUIRED");
    expect(await server.act(claimed, "request_review", { branch: "pawl/1", commit }, by)).toBe("review");
    for (const action of ["approve", "request_changes"])
      expect(await server.act(claimed, action, undefined, { token, comment: "fine" })).toBe("FORBIDDEN");
    // The member has created the task, but the token is confined.
    for (const action of ["withdraw", "edit", "pause"])
      expect(await server.act(claimed, action, undefined, { token, comment: "fine" })).toBe("TOKEN_CONFINED");
    const explained = bodyOf<{ actions: { action: string; allowed: boolean }[] }>(
      200,
      await server.ask(`GET /api/tasks/${task.id}/actions`, { token }),
    );
    expect(explained.actions.find(({ action }) => action === "approve")).toMatchObject({ allowed: false });
    // A new task of the agent has the review of its own task.
    const made = bodyOf<CodeTask>(
      201,
      await server.ask("POST /api/code/tasks", {
        token,
        body: { title: "More", review: false, repository: "x" },
      }),
    );
    expect(made).toMatchObject({ review: true, repository: null });
    expect(await server.act(claimed, "approve", undefined, by)).toBe("ready");
  });
});

describe("merge strategies", () => {
  const script = `
    echo two > two; git add two; git commit -qm "Two"; echo three > three; git add three; git commit -qm "Three"`;

  test.each([
    ["squash", ["Write both"], 0],
    ["merge", ["Two", "Three", "Merge Write both"], 1],
    ["rebase", ["Two", "Three"], 0],
  ] as const)("%s of the project puts %j on the target", async (merge_strategy, subjects, merges) => {
    const bench = await createTestRepository(server, { settings: { merge_strategy } });
    const { git, add, agent, work, history, open } = bench;
    const task = await add("Write both");
    const worker = await work({ agent: await agent(script) });
    await whenIn(task, "completed");
    await worker.stop();
    expect(await history()).toEqual(subjects);
    expect((await git("log", "--merges", "--format=%H", "main")).split("\n").filter(Boolean)).toHaveLength(
      merges,
    );
    expect(await git("log", "-1", "--format=%B", "main")).toContain(`Pawl-Task: ${task.id}`);
    expect(await git("show", "main:three")).toBe("three");
    expect((await getTask(task.id)).commit).toBe(await git("rev-parse", "main"));
    expect(await git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/pawl/kept")).toBe(
      "refs/heads/main",
    );
    expect(await worktreesOf(await open())).toEqual([]);
  });

  test("an option of the run overrides the project's", async () => {
    const bench = await createTestRepository(server, { settings: { merge_strategy: "merge" } });
    const task = await bench.add("Write both");
    await bench.work({ agent: await bench.agent(script), merge: "squash" });
    await whenIn(task, "completed");
    expect(await bench.history()).toEqual(["Write both"]);
  });
});

describe("a remote", () => {
  test("gets the branch and a pull request for the review, and the target after the merge", async () => {
    const bench = await createTestRepository(server, ON);
    const { git, folder, add, agent, work, note } = bench;
    const bare = join(folder, "remote.git");
    await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
    await git("remote", "add", "origin", bare);
    await git("push", "--quiet", "origin", "main");
    await writeFile(
      join(folder, "gh"),
      `#!/bin/sh\nprintf '%s\\n' "$*" >> ${folder}/gh-calls\nif [ "$2" = view ]; then exit 1; fi\necho https://example.org/acme/shop/pull/7\n`,
      { mode: 0o755 },
    );
    const { PATH } = process.env;
    process.env.PATH = `${folder}:${PATH}`;
    try {
      const task = await add("Write two", { description: "Below one" });
      const remote = await openRemote(await bench.open(), "origin", true);
      const worker = await work({ agent: await agent("echo two > two") }, { remote });
      await whenIn(task, "review");
      const { branch, commit, pull_request } = await reviewOf(task);
      expect(pull_request).toBe("https://example.org/acme/shop/pull/7");
      expect(await git("ls-remote", bare, `refs/heads/${branch}`)).toContain(commit);
      const calls = await note("gh-calls");
      expect(calls).toContain(`pr create --head ${branch} --base main --title Write two --body Below one`);
      expect(calls).toContain(`--repo ${bare}`);
      await operate(task, "approve");
      await whenIn(task, "completed");
      await worker.stop();
      expect(await git("ls-remote", "--heads", bare)).toBe(
        `${await git("rev-parse", "main")}\trefs/heads/main`,
      );
    } finally {
      process.env.PATH = PATH;
    }
  });

  test("is optional: if it cannot be reached, the branch stays and the review reports it", async () => {
    const bench = await createTestRepository(server, ON);
    const { git, folder, add, agent, work } = bench;
    await git("remote", "add", "origin", join(folder, "nowhere.git"));
    const task = await add("Write two");
    const remote = await openRemote(await bench.open(), "origin", false);
    const worker = await work({ agent: await agent("echo two > two") }, { remote });
    await whenIn(task, "review");
    const { branch, commit } = await reviewOf(task);
    expect(await git("rev-parse", branch)).toBe(commit);
    const request = (await eventsOf(task)).find(({ action }) => action === "request_review");
    expect(request?.comment).toMatch(/^Publishing to origin failed: .*nowhere\.git/);
    await operate(task, "approve");
    await whenIn(task, "completed");
    expect(worker.events.some(({ kind }) => kind === "push_failed")).toBe(true);
    await expect(openRemote(await bench.open(), "upstream", false)).rejects.toThrow(/no remote upstream/);
  });
});

/** Starts a worker of one repository for the project of another. */
async function createWorkerFor(bench: TestRepository, project_id: string, script: string) {
  const { startCodeWorker } = await import("../../../src/lifecycles/code/worker/start-code-worker.ts");
  const { createClient } = await import("../../../src/client/index.ts");
  return startCodeWorker({
    client: createClient({ url: server.url, token: server.wen }),
    repository: await bench.open(),
    rules: {
      ...{ agent: await bench.agent(script), verify: null, timeoutMs: 60_000, hooks: true },
      ...{ url: server.url, from: bench.folder },
    },
    workers: 1,
    project_id,
  });
}
