import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { BUILT_PAWL, ROOT } from "../../support/built-pawl.ts";
import { until } from "../../support/until.ts";
import { openCodeShop } from "./code-shop.ts";
import { gitEnvironment, openWorkbench } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";

const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
const shop = await openCodeShop({ server: { version } });

/** `pawl code …` as a user runs it: by the lead unless told otherwise. */
const code = (args: readonly string[], { token = shop.lea, cwd }: { token?: string; cwd?: string } = {}) =>
  pawl(["code", ...args], {
    env: { ...gitEnvironment(), PAWL_URL: shop.url, PAWL_TOKEN: token },
    ...(cwd === undefined ? {} : { cwd }),
  });
const json = async <T = Record<string, unknown>>(args: readonly string[]) => {
  const { code: exit, stdout, stderr } = await code([...args, "--json"]);
  if (exit !== 0) throw new Error(`${String(exit)} ${stderr}`);
  return JSON.parse(stdout) as T;
};
type Told = { id: string; status: string; title: string; attempts: number; commit: string | null };

const YAML = `
tasks:
  - ref: parser
    title: Write a parser
    acceptance: It parses
  - ref: printer
    title: Write a printer
    priority: 5
  - title: Write a command
    after: [parser, printer]
    on_failure: proceed
  - Just a title
`;

describe("pawl code add", () => {
  test("takes a file of tasks; list and graph show them, in words and as JSON", async () => {
    const { folder, project_id } = await openWorkbench(shop);
    const file = join(folder, "tasks.yaml");
    await writeFile(file, YAML);
    const added = await code(["add", "--file", file, "--project", project_id]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^[\da-f-]{36} {2}ready {5}Write a parser\n/);
    expect(added.stdout).toMatch(/\n[\da-f-]{36} {2}blocked {3}Write a command\n.*\n4 tasks added\.\n$/);

    const [listed, blocked, drawn, graph, all] = await Promise.all([
      code(["list", "--project", project_id]),
      json<{ tasks: Told[] }>(["list", "--project", project_id, "--status", "blocked,failed"]),
      code(["graph", "--project", project_id]),
      json<{ nodes: Told[]; edges: { to: string; on_failure: string }[] }>([
        "graph",
        "--project",
        project_id,
      ]),
      json<{ tasks: Told[] }>(["list", "--project", project_id]),
    ]);
    expect(listed.stdout.split("\n")[0]).toMatch(/^ID +STATUS +TRIES +WORKER +SINCE +TITLE/);
    expect(listed.stdout).toMatch(/ blocked +0\/3 .*Write a command +waits for \w+, \w+/);
    expect(blocked.tasks.map(({ title }) => title)).toEqual(["Write a command"]);
    expect(all.tasks).toHaveLength(4);
    const lines = drawn.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines).toContainEqual(
      expect.stringMatching(/^└─ · Write a command {2}[\da-f-]{36} blocked {2}← also Write a p/),
    );
    expect(graph.nodes).toHaveLength(4);
    expect(graph.edges.map(({ on_failure }) => on_failure)).toEqual(["proceed", "proceed"]);
  });

  test("takes a title, what it waits for, and a key by which nothing is added twice", async () => {
    const { project_id } = await openWorkbench(shop);
    const first = await json<{ tasks: [Told] }>(["add", "First", "--project", project_id]);
    const { id } = first.tasks[0];
    const add = [
      "add",
      "Second",
      "--after",
      id.slice(-12),
      "-p",
      project_id,
      "--max-attempts",
      "1",
      "--key",
      id,
    ];
    const [second, again] = [await json<{ tasks: [Told] }>(add), await json<{ tasks: [Told] }>(add)];
    expect(second.tasks).toMatchObject([
      { status: "blocked", max_attempts: 1, blocked_by: [{ task_id: id }] },
    ]);
    expect(again.tasks[0].id).toBe(second.tasks[0].id);
  });

  test("says what is wrong: usage by 2, a refusal of the server's by 3, and never by a stack", async () => {
    const { folder } = await openWorkbench(shop);
    const WRONG: [yaml: string | null, args: string[], exit: number, told: RegExp][] = [
      ["- One", ["Two"], 2, /Give a title, or --file/],
      [null, ["--file", "gone.yaml"], 2, /gone\.yaml cannot be read/],
      ["- a: [", [], 2, /tasks-\d\.yaml: .*\.$/m],
      ["- title: One\n  atfer: [x]", [], 2, /task 1: .*atfer/],
      ["- title: One\n  after: [x]", [], 3, /there is no task x/],
      ["- {ref: a, title: A, after: [b]}\n- {ref: b, title: B, after: [a]}", [], 3, /wait/],
      [null, ["Title", "--priority", "high"], 2, /It takes a number from/],
    ];
    await Promise.all(
      WRONG.map(async ([yaml, args, exit, told], n) => {
        const file = join(folder, `tasks-${n}.yaml`);
        if (yaml !== null) await writeFile(file, yaml);
        const more = yaml === null ? [] : ["--file", file];
        const ran = await code(["add", ...args, ...more], { cwd: folder });
        expect(ran.stderr).toMatch(told);
        expect(ran).toMatchObject({ code: exit, stdout: "" });
        expect(ran.stderr).not.toMatch(/^ +at /m);
      }),
    );
  });
});

describe("pawl code run", () => {
  const run = ({ repo, project_id }: Workbench, agent: string, ...more: string[]) =>
    ["run", "--repo", repo, "--project", project_id, "--agent", agent, ...more] as const;
  const tokensLeft = async () => {
    const member = `coder-${hostname().replaceAll(/[^\w.-]/g, "-")}`;
    const { body } = await shop.ask(`GET /api/members/${member}/tokens`);
    return ((body.tokens ?? []) as { confined_to: object | null }[]).filter(
      (one) => one.confined_to === null,
    );
  };

  test("does what there is to do; show, log, worktrees and catch-up tell of it and go on from there", async () => {
    const bench = await openWorkbench(shop);
    const { add, agent, git, repo, project_id } = bench;
    const good = await add("Write two");
    const bad = await add("Break it", { max_attempts: 1 });
    const script = await agent(
      `echo "I am on it"; echo x > "file-$PAWL_TASK_ID"; case "$1" in *"Break it"*) exit 3;; esac`,
    );
    const ran = await code(run(bench, script, "--until-done", "--workers", "2"), { token: shop.admin });
    // One has failed: that is a finding.
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(new RegExp(`Z merged ${good.id} Write two [\\da-f]{10}\n`));
    expect(ran.stdout).toMatch(new RegExp(`Z completed ${good.id} Write two`));
    expect(ran.stdout).toMatch(new RegExp(`Z failed ${bad.id} Break it: The agent ended with exit code 3`));
    expect(ran.stderr).toContain(`pawl code catch-up --repo ${repo}`);
    expect(await tokensLeft()).toEqual([]);

    const [listed, shown, log, trees, asJson] = await Promise.all([
      code(["list", "--project", project_id]),
      code(["show", good.id.slice(0, 30)]),
      code(["log", bad.id]),
      code(["worktrees", "--repo", repo]),
      json<{ worktrees: { status: string; unmerged: boolean }[]; kept: object[] }>([
        "worktrees",
        "--repo",
        repo,
      ]),
    ]);
    expect(listed.stdout).toMatch(new RegExp(`^${bad.id} +failed +1/1 .*exit code 3`, "m"));
    const commit = await git("rev-parse", "main");
    expect(shown.stdout).toMatch(new RegExp(`^commit +${commit}$`, "m"));
    expect(shown.stdout).toMatch(/^RUN +WORKER +BEGAN +TOOK +OUTCOME/m);
    expect(shown.stdout).toMatch(/I am on it\n$/);
    expect(log.stdout).toBe("I am on it\n");
    expect(trees.stdout).toMatch(new RegExp(`^${bad.id} +failed .*unmerged work`, "m"));
    expect(asJson).toMatchObject({ worktrees: [{ status: "failed", unmerged: true }], kept: [{}] });

    const [kept, brought] = [
      await code(["worktrees", "--repo", repo, "--reap", "--older-than", "0"]),
      await code(["catch-up"], { cwd: repo }),
    ];
    expect(kept.stdout).toMatch(/^1 worktree removed\.\n2 pieces of unmerged work kept/);
    expect(brought).toMatchObject({ code: 0, stderr: "" });
    expect(await git("status", "--porcelain")).toBe("");
    expect(await readFile(join(repo, `file-${good.id}`), "utf8")).toBe("x\n");
    const [again, gone] = [
      await code(["catch-up", "--repo", repo]),
      await code(["worktrees", "--repo", repo, "--reap", "--force", "--older-than", "0"]),
    ];
    expect(again.stdout).toBe(`Your files in ${repo} are those of main.\n`);
    expect(gone.stdout).toMatch(/^0 worktrees removed\.\n2 pieces of unmerged work dropped/);
    expect((await code(["worktrees", "--repo", repo])).stdout).toBe(
      "There are no worktrees, and no work is kept.\n",
    );

    const retried = await json<Told & { retry_of: string }>(["retry", bad.id]);
    expect(retried).toMatchObject({ status: "ready", retry_of: bad.id });
    expect(await code(["retry", good.id])).toMatchObject({ code: 3 });
  });

  test("that is killed leaves a token behind, which the next one revokes; a log is followed until Ctrl-C", async () => {
    const bench = await openWorkbench(shop);
    const { add, agent } = bench;
    const task = await add("Take long");
    const script = await agent(`echo "I take my time"; sleep 600`);
    const start = (args: readonly string[], token: string) => {
      const child = spawn(process.execPath, [...BUILT_PAWL, "code", ...args], {
        env: { ...gitEnvironment(), PAWL_URL: shop.url, PAWL_TOKEN: token },
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
      return { child, said: () => said, ended: once(child, "close") };
    };
    const runner = start(run(bench, script), shop.admin);
    const reader = start(["log", task.id, "--follow"], shop.lea);
    await until(() => reader.said().includes("I take my time"));
    expect(await tokensLeft()).toHaveLength(1);
    runner.child.kill("SIGKILL");
    reader.child.kill("SIGINT");
    expect(await reader.ended).toEqual([0, null]);
    await runner.ended;

    const again = await add("Take long again");
    const next = start(run(bench, script, "--grace", "600"), shop.admin);
    await until(() => next.said().includes("working"));
    expect(await tokensLeft()).toHaveLength(1);
    next.child.kill("SIGINT");
    await until(() => next.said().includes("Ctrl-C again"));
    next.child.kill("SIGINT");
    expect(await next.ended).toEqual([0, null]);
    expect(await tokensLeft()).toEqual([]);
    expect(await shop.look(again.id)).toMatchObject({ status: "ready", attempts: 0 });
  });

  test("completes tasks with a timeout of a fractional number of milliseconds", async () => {
    const bench = await openWorkbench(shop);
    const task = await bench.add("Take 8.2 minutes at most");
    const script = await bench.agent("echo done > done");
    const ran = await code(run(bench, script, "--timeout", "8.2", "--until-done"), { token: shop.wim });
    expect(ran.code).toBe(0);
    expect(await shop.look(task.id)).toMatchObject({ status: "completed", attempts: 0 });
  });

  test("refuses what cannot go well, and says what to do", async () => {
    const { repo } = await openWorkbench(shop);
    const WRONG: [args: string[], exit: number, told: RegExp][] = [
      [["--agent", "no-such-agent {prompt}"], 2, /There is no "no-such-agent" here\.\n.*--agent/],
      [["--agent", "true", "--target", "gone"], 2, /There is no branch gone/],
      [["--agent", "true", "--repo", "/"], 2, /is no git repository/],
      [["--agent", "true", "--worktrees", "inside"], 2, /outside of it/],
      [["--timeout", "soon"], 2, /It takes a number from/],
      [["--agent", "sh -c 'true"], 2, /quote that is not closed/],
    ];
    await Promise.all(
      WRONG.map(async ([args, exit, told]) => {
        const ran = await code(["run", ...args], { token: shop.wim, cwd: repo });
        expect(ran.stderr).toMatch(told);
        expect(ran.code).toBe(exit);
        expect(ran.stderr).not.toMatch(/^ +at /m);
      }),
    );
  });

  test("is for workers: who is none is told how to become one", async () => {
    const bench = await openWorkbench(shop);
    const ran = await code(run(bench, "true"));
    expect([ran.code, ran.stderr]).toEqual([
      4,
      expect.stringMatching(/"lea" is no worker.*\n.*pawl members/),
    ]);
  });
});
