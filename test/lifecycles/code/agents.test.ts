import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBadLine } from "../../client/faulty-proxy.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { until } from "../../support/until.ts";
import { createTestRepository, snapshotOf } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";
import { cleanUp } from "../../../src/lifecycles/code/worker/clean-up.ts";
import { outdatedCheckouts, catchUp } from "../../../src/lifecycles/code/worker/user-checkouts.ts";
import { keptWork, worktreesOf } from "../../../src/lifecycles/code/worker/worktree.ts";
import { createClient } from "../../../src/client/index.ts";

// The environment of a user without git settings.
Object.assign(process.env, {
  PAWL_TOKEN: "the worker's own",
  PAWL_ADMIN_TOKEN: "the admin's",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;
const statusOf = async ({ id }: CodeTask) => (await getTask(id)).status;
const whenFinal = (task: CodeTask, status = "completed") =>
  until(async () => (await statusOf(task)) === status);

describe("an agent's work", () => {
  test("is committed and merged into a linear history; the user's dirty checkout stays unchanged", async () => {
    const bench = await createTestRepository(server);
    const { git, repo, add, agent, work, history, read } = bench;
    await writeFile(join(repo, "list"), "one\nand a half\n");
    await writeFile(join(repo, "draft"), "mine\n");
    await git("add", "draft");
    const before = await snapshotOf(bench);
    const uncommitted = await add("Write two", { description: "Below one", acceptance: "It is there" });
    const committed = await add("Write three");
    const worker = await work({
      agent: await agent(`
        echo "I am on it"
        cp "$PAWL_PROMPT_FILE" "$NOTES/prompt"
        if [ "$PAWL_TASK_ID" = ${committed.id} ]; then
          echo three > three; git add three; git commit -qm "Three, by itself"; echo four > four; git add four; git commit -qm "And four"
        else echo two > two; fi`),
    });
    await Promise.all([whenFinal(uncommitted), whenFinal(committed)]);
    await worker.stop();
    expect(await history()).toEqual(["Write two", "Three, by itself", "And four"]);
    expect(await git("log", "--merges", "--format=%H", "main")).toBe("");
    expect([await read("two"), await read("four")]).toEqual(["two", "four"]);
    for (const task of [uncommitted, committed]) {
      const { commit, log, runs } = await getTask(task.id);
      expect(await git("log", "--format=%H", `--grep=Pawl-Task: ${task.id}`, "main")).toBe(commit);
      expect(log).toBe("I am on it\n");
      expect(runs).toMatchObject([{ outcome: "completed", commit }]);
    }
    expect(await snapshotOf(bench)).toEqual(before);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
    expect(await git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
  });

  test("reaches the user's checkout by catch-up, which keeps the user's changes or touches nothing", async () => {
    const bench = await createTestRepository(server);
    const { git, repo, add, agent, work, open } = bench;
    const changes = async () => (await git("status", "--porcelain")).split("\n").map((line) => line.trim());
    const merge = async (title: string, script: string) => {
      const task = await add(title);
      const worker = await work({ agent: await agent(script) });
      await whenFinal(task);
      await worker.stop();
    };
    await writeFile(join(repo, "list"), "one\nand a half\n");
    await writeFile(join(repo, "draft"), "mine\n");
    await git("add", "draft");
    const start = await git("rev-parse", "main");
    await merge("Write two", "echo two > two");
    // Without catch-up in between, its files are still at the start.
    await merge("Write three", "echo three > three; rm two; echo 2 > two");
    const repository = await open();
    expect(await outdatedCheckouts(repository)).toEqual([{ path: repo, base: start }]);
    expect(await changes()).toContain("D  two");
    expect(await catchUp(repository, repo)).toBe(start);
    expect(await readFile(join(repo, "two"), "utf8")).toBe("2\n");
    expect(await changes()).toEqual(["A  draft", "M list"]);
    expect(await readFile(join(repo, "list"), "utf8")).toBe("one\nand a half\n");
    expect([await outdatedCheckouts(repository), await catchUp(repository, repo)]).toEqual([[], null]);

    await merge("Write one again", "echo uno > list");
    const before = await snapshotOf(bench);
    await expect(catchUp(repository, repo)).rejects.toThrow(/your own changes .*list.*git switch -c mine/is);
    expect(await snapshotOf(bench)).toEqual(before);
    // The suggested command creates a branch with all the user's changes.
    const [{ base } = { base: "" }] = await outdatedCheckouts(repository);
    await git("switch", "--quiet", "-c", "mine", base.slice(0, 12));
    expect(await changes()).toEqual(["A  draft", "M list"]);
    expect(await outdatedCheckouts(repository)).toEqual([]);
  });

  test("starts from a prompt with title, description, acceptance, instructions and the last error", async () => {
    const { add, agent, work, note, folder } = await createTestRepository(server);
    const task = await add("Write two", { description: "Below one", acceptance: "It is there" });
    await work({
      verify: `env > ${folder}/verify-env; test -e two || { printf 'two is %s' missing; exit 3; }`,
      agent: await agent(`
        env > "$NOTES/agent-env"
        test -e "$NOTES/first" && { cp "$PAWL_PROMPT_FILE" "$NOTES/second"; echo two > two; exit 0; }
        printf %s "$1" > "$NOTES/first"; echo nothing > other`),
    });
    await whenFinal(task);
    const [first, second] = [await note("first"), await note("second")];
    for (const text of [
      "# Write two",
      "Below one",
      "It is there",
      `pawl/${task.id}`,
      "report_obstacle",
      "test -e two",
    ])
      expect(first).toContain(text);
    expect(first).not.toContain("two is missing");
    expect(second).toContain("two is missing");
    expect(await getTask(task.id)).toMatchObject({
      attempts: 1,
      runs: [{ outcome: "retried", exit_code: 3 }, {}],
    });
    // The agent may have written the check, so it must not see the worker's token.
    expect(await note("verify-env")).not.toMatch(/^PAWL_/m);
    expect(await note("agent-env")).toMatch(new RegExp(`^PAWL_TASK_ID=${task.id}$`, "m"));
    expect(await note("agent-env")).not.toMatch(/the (worker|admin)'s/);
  });

  test("is retried from the new target after a conflict, with the conflict in the prompt", async () => {
    const { add, agent, work, history, read, note } = await createTestRepository(server);
    const tasks = [await add("Say red"), await add("Say blue")];
    await work(
      {
        // Both start before either is merged; the second one conflicts with the first.
        agent: await agent(`
          word=$(echo "$1" | sed -n 's/^# Say //p')
          touch "$NOTES/$word"; while [ ! -e "$NOTES/red" ] || [ ! -e "$NOTES/blue" ]; do sleep 0.05; done
          cp "$PAWL_PROMPT_FILE" "$NOTES/prompt-$word-$PAWL_RUN"
          echo "$(tail -n 1 list) $word" > list`),
      },
      { workers: 2 },
    );
    await Promise.all(tasks.map((task) => whenFinal(task)));
    const colours = (await history()).map((subject) => subject.replace("Say ", ""));
    expect([...colours].sort()).toEqual(["blue", "red"]);
    expect(await read("list")).toBe(`one ${colours.join(" ")}`);
    const second = tasks.find(({ title }) => title === `Say ${colours[1]}`)!;
    const retried = await getTask(second.id);
    expect(retried).toMatchObject({ attempts: 1 });
    expect(retried.runs.map(({ outcome }) => outcome)).toEqual(["retried", "completed"]);
    const prompt = await note(`prompt-${colours[1]}-${String(retried.runs[1]!.run)}`);
    expect(prompt).toContain("Merge conflict in list");
    expect(prompt).toContain(`one ${colours[0]}`);
  });

  test("without changes fails, unless the task allows it", async () => {
    const { add, agent, work, history } = await createTestRepository(server);
    const nothing = await add("Do nothing", { max_attempts: 1 });
    const empty = await add("Look around", { may_be_empty: true });
    await work({ agent: await agent("true") });
    await whenFinal(nothing, "failed");
    await whenFinal(empty);
    expect((await getTask(nothing.id)).last_error).toMatch(/nothing to commit/);
    expect(await history()).toEqual([]);
  });
});

describe("an agent", () => {
  test("is killed with its child processes after the timeout, and its work is kept", async () => {
    const { add, agent, work, note, open } = await createTestRepository(server);
    const task = await add("Wait", { max_attempts: 1 });
    const worker = await work({
      timeoutMs: 1_000,
      killAfterMs: 300,
      agent: await agent(
        `trap '' TERM; echo half > half; sleep 600 & echo $! >> "$NOTES/pids"; wait; sleep 600`,
      ),
    });
    await whenFinal(task, "failed");
    await worker.stop();
    expect((await getTask(task.id)).last_error).toMatch(/did not finish within/);
    for (const pid of (await note("pids")).trim().split("\n")) expect(await isAlive(pid)).toBe(false);
    // Work of the first attempt is kept as a ref; the last attempt keeps its worktree for inspection.
    const repository = await open();
    expect(await keptWork(repository)).toMatchObject([{ task_id: task.id }]);
    const [left] = await worktreesOf(repository);
    expect(await readFile(join(left!.path, "half"), "utf8")).toBe("half\n");
  });

  test("fails and is retried if it removes its worktree", async () => {
    const { add, agent, work, history, git } = await createTestRepository(server);
    const task = await add("Clean up");
    const worker = await work({
      agent: await agent(`
        if [ -e "$NOTES/before" ]; then echo done > done; exit 0; fi
        touch "$NOTES/before"; dir=$(pwd); cd /; rm -rf "$dir"`),
    });
    await whenFinal(task);
    await worker.stop();
    expect((await getTask(task.id)).runs[0]).toMatchObject({
      outcome: "retried",
      error: expect.stringMatching(/worktree is gone/) as string,
    });
    expect(await history()).toEqual(["Clean up"]);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
  });

  test("reports an obstacle with its own token, and the task waits", async () => {
    const { add, agent, work, project_id } = await createTestRepository(server);
    const task = await add("Deploy it");
    await work({
      agent: await agent(`
        case "$1" in *"Clear the way"*) echo up > up; exit 0;; esac
        test -e up && { echo deployed > deployed; exit 0; }
        node --input-type=module -e '
          const { PAWL_URL, PAWL_TOKEN, PAWL_TASK_ID } = process.env;
          const body = JSON.stringify({ action: "report_obstacle", payload: { description: "staging is down" } });
          const headers = { authorization: "Bearer " + PAWL_TOKEN, "content-type": "application/json" };
          const answer = await fetch(PAWL_URL + "/api/tasks/" + PAWL_TASK_ID + "/transitions", { method: "POST", headers, body });
          console.log("reported", answer.status);'`),
    });
    await whenFinal(task);
    const { runs, attempts } = await getTask(task.id);
    expect(attempts).toBe(0);
    expect(runs.map(({ outcome, error }) => [outcome, error])).toEqual([
      ["blocked", "staging is down"],
      ["completed", null],
    ]);
    const { body } = await server.ask(`GET /api/code/tasks?project_id=${project_id}`);
    expect((body.tasks as CodeTask[]).map(({ title, status }) => [title, status])).toEqual([
      ["Deploy it", "completed"],
      ["Clear the way: staging is down", "completed"],
    ]);
  });
});

describe("a worker", () => {
  test("ends its agents when it stops, keeps their work, and releases its tasks without counting attempts", async () => {
    const { add, agent, work, note, open } = await createTestRepository(server);
    const task = await add("Take long");
    const worker = await work({ agent: await agent(`echo half > half; touch "$NOTES/begun"; sleep 600`) });
    await until(() =>
      note("begun").then(
        () => true,
        () => false,
      ),
    );
    await worker.stop({ graceMs: 100 });
    expect(await getTask(task.id)).toMatchObject({
      status: "ready",
      attempts: 0,
      runs: [{ outcome: "interrupted" }],
    });
    const repository = await open();
    expect(await worktreesOf(repository)).toEqual([]);
    const [kept] = await keptWork(repository);
    expect(await repository.git(["show", `${kept!.commit}:half`])).toBe("half");
    const client = createClient({ url: server.url, token: server.wim });
    expect(await cleanUp(repository, client, { olderThanMs: -1 })).toMatchObject({
      kept: [kept!.ref],
      dropped: [],
    });
    expect(await cleanUp(repository, client, { olderThanMs: -1, force: true })).toMatchObject({
      dropped: [kept!.ref],
    });
  });

  test("repeats requests after a connection error, so that no work of an agent is lost", async () => {
    const { add, agent, work, history } = await createTestRepository(server);
    const line = await openBadLine(server.url);
    const cut = ["agent-token"];
    line.fate = ({ url = "" }) => {
      const index = cut.findIndex((part) => url.includes(part));
      return index < 0 ? "pass" : (cut.splice(index, 1), "cut before");
    };
    const task = await add("Write two");
    await work(
      { agent: await agent("echo two > two") },
      {
        url: line.url,
        onEvent: (event) => {
          // The next transition records the commit, just before the branch moves.
          if (event.kind === "phase" && event.phase === "merging") cut.push("transitions", "transitions");
        },
      },
    );
    await whenFinal(task);
    expect(await getTask(task.id)).toMatchObject({ attempts: 0, runs: [{ outcome: "completed" }] });
    expect([await history(), cut]).toEqual([["Write two"], []]);
  });

  test("merges nothing and ends its agent after it lost its lease", async () => {
    const { add, agent, work, note, history, folder } = await createTestRepository(server);
    const task = await add("Take long", { max_attempts: 100 });
    const worker = await work({
      agent: await agent(
        `echo $$ >> "$NOTES/pids"; while [ ! -e "$NOTES/go" ]; do sleep 0.05; done; echo x > x`,
      ),
    });
    await until(() =>
      note("pids").then(
        () => true,
        () => false,
      ),
    );
    await server.engine.sweep({ now: Date.now() + 10_000 });
    await until(() => worker.events.some(({ kind }) => kind === "lost"));
    const [pid] = (await note("pids")).split("\n");
    await until(async () => !(await isAlive(pid!)));
    expect(await history()).toEqual([]);
    await writeFile(join(folder, "go"), "");
    await whenFinal(task);
    expect(await history()).toEqual(["Take long"]);
  });

  test("completes a task whose recorded commit is in the target, without running the agent", async () => {
    const bench = await createTestRepository(server);
    const { git, add, agent, work, history } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await git("update-ref", "refs/heads/main", commit);
    await git("commit-tree", "main^{tree}", "-p", "main", "-m", "later").then((later) =>
      git("update-ref", "refs/heads/main", later),
    );
    await server.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent("exit 1") });
    await whenFinal(task);
    expect(await getTask(task.id)).toMatchObject({ commit, attempts: 1 });
    expect(await history()).toEqual(["Write two", "later"]);
  });

  test("runs the agent again if the recorded commit is not in the target, and records its own", async () => {
    const bench = await createTestRepository(server);
    const { git, add, agent, work, history, read } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await server.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent("echo again > two") });
    await whenFinal(task);
    const merged = await git("rev-parse", "main");
    expect((await getTask(task.id)).commit).toBe(merged);
    const { body } = await server.ask(`GET /api/tasks/${task.id}`, { token: server.lea });
    expect((body.data as { merge_candidates: string[] }).merge_candidates).toEqual([commit, merged]);
    expect([await history(), await read("two")]).toEqual([["Write two"], "again"]);
  });

  test("completes the task with a commit that the previous worker merges late, and merges nothing twice", async () => {
    const bench = await createTestRepository(server);
    const { git, add, agent, work, history, read } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await server.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent(`git update-ref refs/heads/main ${commit}; echo again > two`) });
    await whenFinal(task);
    expect(await getTask(task.id)).toMatchObject({ commit: await git("rev-parse", "main") });
    expect([await history(), await read("two")]).toEqual([["Write two"], "two"]);
  });

  test("does not take a title or a commit message for a merge", async () => {
    const { add, agent, work, history, read, git } = await createTestRepository(server);
    const victim = await add("Write two");
    const trailer = `Pawl-Task: ${victim.id}`;
    const forger = await add(`Write one\n\n${trailer}`);
    await work(
      {
        // The other task ends after the forged commits are merged.
        agent: await agent(`
          if [ "$PAWL_TASK_ID" = ${forger.id} ]; then
            echo x > x; git add x; git commit -qm 'Write x' -m '${trailer}'; echo 1 > uno; exit 0
          fi
          until git log --format=%B main | grep -q '${trailer}'; do sleep 0.05; done
          echo two > two`),
      },
      { workers: 2 },
    );
    await Promise.all([whenFinal(forger), whenFinal(victim)]);
    expect(await history()).toEqual(["Write x", `Write one ${trailer}`, "Write two"]);
    expect(await read("two")).toBe("two");
    expect(await getTask(victim.id)).toMatchObject({ attempts: 0, commit: await git("rev-parse", "main") });
  });
});

/** Acts as a worker that records a commit for a task and dies; returns the commit. */
async function recordAndDie({ git, project_id, repo }: TestRepository, task: CodeTask): Promise<string> {
  const claim = { token: server.wen, body: { project_id } };
  const { tasks } = (await server.ask("POST /api/code/claims", claim)).body as { tasks: CodeTask[] };
  const by = { token: server.wen };
  await server.act(tasks[0]!, "start", { worktree: "/gone", branch: `pawl/${task.id}` }, by);
  await writeFile(join(repo, "two"), "two\n");
  await git("add", "two");
  const commit = await git("commit-tree", await git("write-tree"), "-p", "main", "-m", "Write two");
  expect(await server.act(tasks[0]!, "record_merge", { commit }, by)).toBe("in_progress");
  return commit;
}

/** Returns whether a process runs; a zombie does not count. */
async function isAlive(pid: string): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "Z");
  return !/^(Z$|\d+ \(.*\) [ZX])/.test(state);
}
