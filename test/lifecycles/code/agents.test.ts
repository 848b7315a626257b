import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBadLine } from "../../client/bad-line.ts";
import { openCodeShop } from "./code-shop.ts";
import type { CodeTask } from "./code-shop.ts";
import { until } from "../../support/until.ts";
import { openWorkbench, picture } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";
import { tidyUp } from "../../../src/lifecycles/code/worker/tidy-up.ts";
import { behindOf, catchUp } from "../../../src/lifecycles/code/worker/checkouts.ts";
import { keptWork, worktreesOf } from "../../../src/lifecycles/code/worker/worktree.ts";
import { createClient } from "../../../src/client/index.ts";

// As for a user who has told git nothing.
Object.assign(process.env, {
  PAWL_TOKEN: "the worker's own",
  PAWL_ADMIN_TOKEN: "the admin's",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const shop = await openCodeShop();
const { look } = shop;
const statusOf = async ({ id }: CodeTask) => (await look(id)).status;
const whenFinal = (task: CodeTask, status = "completed") =>
  until(async () => (await statusOf(task)) === status);

describe("an agent's work", () => {
  test("is committed and merged into one line of history; the user's dirty checkout stays as it was", async () => {
    const bench = await openWorkbench(shop);
    const { git, repo, add, agent, work, history, read } = bench;
    await writeFile(join(repo, "list"), "one\nand a half\n");
    await writeFile(join(repo, "draft"), "mine\n");
    await git("add", "draft");
    const before = await picture(bench);
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
      const { commit, log, runs } = await look(task.id);
      expect(await git("log", "--format=%H", `--grep=Pawl-Task: ${task.id}`, "main")).toBe(commit);
      expect(log).toBe("I am on it\n");
      expect(runs).toMatchObject([{ outcome: "completed", commit }]);
    }
    expect(await picture(bench)).toEqual(before);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
    expect(await git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
  });

  test("comes to the user's checkout when he asks for it, with his own changes kept, or nothing is touched", async () => {
    const bench = await openWorkbench(shop);
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
    // Nothing was said in between: its files are still those of the start.
    await merge("Write three", "echo three > three; rm two; echo 2 > two");
    const repository = await open();
    expect(await behindOf(repository)).toEqual([{ path: repo, base: start }]);
    expect(await changes()).toContain("D  two");
    expect(await catchUp(repository, repo)).toBe(start);
    expect(await readFile(join(repo, "two"), "utf8")).toBe("2\n");
    expect(await changes()).toEqual(["A  draft", "M list"]);
    expect(await readFile(join(repo, "list"), "utf8")).toBe("one\nand a half\n");
    expect([await behindOf(repository), await catchUp(repository, repo)]).toEqual([[], null]);

    await merge("Write one again", "echo uno > list");
    const before = await picture(bench);
    await expect(catchUp(repository, repo)).rejects.toThrow(/your own changes .*list.*git switch -c mine/is);
    expect(await picture(bench)).toEqual(before);
    // As it is told: on a branch of his own he has what he had.
    const [{ base } = { base: "" }] = await behindOf(repository);
    await git("switch", "--quiet", "-c", "mine", base.slice(0, 12));
    expect(await changes()).toEqual(["A  draft", "M list"]);
    expect(await behindOf(repository)).toEqual([]);
  });

  test("is asked for in full: title, description, acceptance, how to work, and the last error", async () => {
    const { add, agent, work, note, folder } = await openWorkbench(shop);
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
    for (const words of [
      "# Write two",
      "Below one",
      "It is there",
      `pawl/${task.id}`,
      "report_obstacle",
      "test -e two",
    ])
      expect(first).toContain(words);
    expect(first).not.toContain("two is missing");
    expect(second).toContain("two is missing");
    expect(await look(task.id)).toMatchObject({
      attempts: 1,
      runs: [{ outcome: "retried", exit_code: 3 }, {}],
    });
    // A check may be the agent's own work: the worker's token is not for it.
    expect(await note("verify-env")).not.toMatch(/^PAWL_/m);
    expect(await note("agent-env")).toMatch(new RegExp(`^PAWL_TASK_ID=${task.id}$`, "m"));
    expect(await note("agent-env")).not.toMatch(/the (worker|admin)'s/);
  });

  test("is tried again from the new target where others changed the same place, with the conflict in the prompt", async () => {
    const { add, agent, work, history, read, note } = await openWorkbench(shop);
    const tasks = [await add("Say red"), await add("Say blue")];
    await work(
      {
        // Both begin before either is done; whoever is second sees what the first has made of it.
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
    const told = await look(second.id);
    expect(told).toMatchObject({ attempts: 1 });
    expect(told.runs.map(({ outcome }) => outcome)).toEqual(["retried", "completed"]);
    const prompt = await note(`prompt-${colours[1]}-${String(told.runs[1]!.run)}`);
    expect(prompt).toContain("Merge conflict in list");
    expect(prompt).toContain(`one ${colours[0]}`);
  });

  test("that is nothing fails, unless the task says it may be", async () => {
    const { add, agent, work, history } = await openWorkbench(shop);
    const nothing = await add("Do nothing", { max_attempts: 1 });
    const empty = await add("Look around", { may_be_empty: true });
    await work({ agent: await agent("true") });
    await whenFinal(nothing, "failed");
    await whenFinal(empty);
    expect((await look(nothing.id)).last_error).toMatch(/nothing to commit/);
    expect(await history()).toEqual([]);
  });
});

describe("an agent", () => {
  test("that never ends is ended with all that it has started, and its work is kept", async () => {
    const { add, agent, work, note, open } = await openWorkbench(shop);
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
    expect((await look(task.id)).last_error).toMatch(/did not end within/);
    for (const pid of (await note("pids")).trim().split("\n")) expect(await isAlive(pid)).toBe(false);
    // The first attempt's is kept; the last one's lies where it was, for somebody to look at.
    const repository = await open();
    expect(await keptWork(repository)).toMatchObject([{ task_id: task.id }]);
    const [left] = await worktreesOf(repository);
    expect(await readFile(join(left!.path, "half"), "utf8")).toBe("half\n");
  });

  test("that removes its worktree has done nothing, and is tried again", async () => {
    const { add, agent, work, history, git } = await openWorkbench(shop);
    const task = await add("Clean up");
    const worker = await work({
      agent: await agent(`
        if [ -e "$NOTES/before" ]; then echo done > done; exit 0; fi
        touch "$NOTES/before"; dir=$(pwd); cd /; rm -rf "$dir"`),
    });
    await whenFinal(task);
    await worker.stop();
    expect((await look(task.id)).runs[0]).toMatchObject({
      outcome: "retried",
      error: expect.stringMatching(/worktree is gone/) as string,
    });
    expect(await history()).toEqual(["Clean up"]);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
  });

  test("that meets an obstacle reports it by its own token, and the task waits", async () => {
    const { add, agent, work, project_id } = await openWorkbench(shop);
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
    const { runs, attempts } = await look(task.id);
    expect(attempts).toBe(0);
    expect(runs.map(({ outcome, error }) => [outcome, error])).toEqual([
      ["blocked", "staging is down"],
      ["completed", null],
    ]);
    const { body } = await shop.ask(`GET /api/code/tasks?project_id=${project_id}`);
    expect((body.tasks as CodeTask[]).map(({ title, status }) => [title, status])).toEqual([
      ["Deploy it", "completed"],
      ["Clear the way: staging is down", "completed"],
    ]);
  });
});

describe("a worker", () => {
  test("that stops ends its agents, keeps what they have begun, and gives tasks back unspent", async () => {
    const { add, agent, work, note, open } = await openWorkbench(shop);
    const task = await add("Take long");
    const worker = await work({ agent: await agent(`echo half > half; touch "$NOTES/begun"; sleep 600`) });
    await until(() =>
      note("begun").then(
        () => true,
        () => false,
      ),
    );
    await worker.stop({ graceMs: 100 });
    expect(await look(task.id)).toMatchObject({
      status: "ready",
      attempts: 0,
      runs: [{ outcome: "interrupted" }],
    });
    const repository = await open();
    expect(await worktreesOf(repository)).toEqual([]);
    const [kept] = await keptWork(repository);
    expect(await repository.git(["show", `${kept!.commit}:half`])).toBe("half");
    const client = createClient({ url: shop.url, token: shop.wim });
    expect(await tidyUp(repository, client, { olderThanMs: -1 })).toMatchObject({
      kept: [kept!.ref],
      dropped: [],
    });
    expect(await tidyUp(repository, client, { olderThanMs: -1, force: true })).toMatchObject({
      dropped: [kept!.ref],
    });
  });

  test("that the server does not hear for a moment asks again: no work of an agent is lost for it", async () => {
    const { add, agent, work, history } = await openWorkbench(shop);
    const line = await openBadLine(shop.url);
    const cut = ["agent-token"];
    line.fate = ({ url = "" }) => {
      const place = cut.findIndex((part) => url.includes(part));
      return place < 0 ? "pass" : (cut.splice(place, 1), "cut before");
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
    expect(await look(task.id)).toMatchObject({ attempts: 0, runs: [{ outcome: "completed" }] });
    expect([await history(), cut]).toEqual([["Write two"], []]);
  });

  test("whose lease is lost merges nothing, and ends its agent", async () => {
    const { add, agent, work, note, history, folder } = await openWorkbench(shop);
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
    await shop.engine.sweep({ now: Date.now() + 10_000 });
    await until(() => worker.events.some(({ kind }) => kind === "lost"));
    const [pid] = (await note("pids")).split("\n");
    await until(async () => !(await isAlive(pid!)));
    expect(await history()).toEqual([]);
    await writeFile(join(folder, "go"), "");
    await whenFinal(task);
    expect(await history()).toEqual(["Take long"]);
  });

  test("that finds the recorded commit in the target completes the task without running the agent", async () => {
    const bench = await openWorkbench(shop);
    const { git, add, agent, work, history } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await git("update-ref", "refs/heads/main", commit);
    await git("commit-tree", "main^{tree}", "-p", "main", "-m", "later").then((later) =>
      git("update-ref", "refs/heads/main", later),
    );
    await shop.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent("exit 1") });
    await whenFinal(task);
    expect(await look(task.id)).toMatchObject({ commit, attempts: 1 });
    expect(await history()).toEqual(["Write two", "later"]);
  });

  test("that finds the recorded commit outside the target runs the agent again and records its own", async () => {
    const bench = await openWorkbench(shop);
    const { git, add, agent, work, history, read } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await shop.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent("echo again > two") });
    await whenFinal(task);
    const merged = await git("rev-parse", "main");
    expect((await look(task.id)).commit).toBe(merged);
    const { body } = await shop.ask(`GET /api/tasks/${task.id}`, { token: shop.lea });
    expect((body.data as { merge_candidates: string[] }).merge_candidates).toEqual([commit, merged]);
    expect([await history(), await read("two")]).toEqual([["Write two"], "again"]);
  });

  test("whose predecessor moves the branch late completes the task with that commit, and merges nothing twice", async () => {
    const bench = await openWorkbench(shop);
    const { git, add, agent, work, history, read } = bench;
    const task = await add("Write two");
    const commit = await recordAndDie(bench, task);
    await shop.engine.sweep({ now: Date.now() + 10_000 });
    await work({ agent: await agent(`git update-ref refs/heads/main ${commit}; echo again > two`) });
    await whenFinal(task);
    expect(await look(task.id)).toMatchObject({ commit: await git("rev-parse", "main") });
    expect([await history(), await read("two")]).toEqual([["Write two"], "two"]);
  });

  test("does not take a title or a commit message for a merge", async () => {
    const { add, agent, work, history, read, git } = await openWorkbench(shop);
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
    expect(await look(victim.id)).toMatchObject({ attempts: 0, commit: await git("rev-parse", "main") });
  });
});

/** Acts as a worker that records a commit for a task and dies; returns the commit. */
async function recordAndDie({ git, project_id, repo }: Workbench, task: CodeTask): Promise<string> {
  const claim = { token: shop.wen, body: { project_id } };
  const { tasks } = (await shop.ask("POST /api/code/claims", claim)).body as { tasks: CodeTask[] };
  const by = { token: shop.wen };
  await shop.act(tasks[0]!, "start", { worktree: "/gone", branch: `pawl/${task.id}` }, by);
  await writeFile(join(repo, "two"), "two\n");
  await git("add", "two");
  const commit = await git("commit-tree", await git("write-tree"), "-p", "main", "-m", "Write two");
  expect(await shop.act(tasks[0]!, "record_merge", { commit }, by)).toBe("in_progress");
  return commit;
}

/** One that has ended and that nobody has looked after yet is not alive. */
async function isAlive(pid: string): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "Z");
  return !/^(Z$|\d+ \(.*\) [ZX])/.test(state);
}
