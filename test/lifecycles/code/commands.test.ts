import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { firstLineOf, pawl } from "../../cli/pawl-process.ts";
import { BUILT_PAWL, ROOT } from "../../support/built-pawl.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import { gitEnvironment, createTestRepository } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
const server = await startCodeServer({ server: { version } });

/** Runs `pawl code …` as a user; default: the lead. */
const code = (args: readonly string[], { token = server.lea, cwd }: { token?: string; cwd?: string } = {}) =>
  pawl(["code", ...args], {
    env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
    ...(cwd === undefined ? {} : { cwd }),
  });
const json = async <T = Record<string, unknown>>(args: readonly string[]) => {
  const { code: exit, stdout, stderr } = await code([...args, "--json"]);
  if (exit !== 0) throw new Error(`${String(exit)} ${stderr}`);
  return JSON.parse(stdout) as T;
};
type CodeTask = { id: string; status: string; title: string; attempts: number; commit: string | null };

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

/** Ten levels of ten aliases each would become 10,000,000,000 values. */
const MULTIPLYING_ALIASES = [
  "- &a0 x",
  ...Array.from({ length: 10 }, (_, n) => `- &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`),
].join("\n");

describe("pawl code add", () => {
  test("adds the tasks of a file; list and graph show them as text and as JSON", async () => {
    const { folder, project_id } = await createTestRepository(server);
    const file = join(folder, "tasks.yaml");
    await writeFile(file, YAML);
    const added = await code(["add", "--file", file, "--project", project_id]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^[\da-f-]{36} {2}ready {5}Write a parser\n/);
    expect(added.stdout).toMatch(/\n[\da-f-]{36} {2}blocked {3}Write a command\n.*\n4 tasks added\.\n$/);

    const [listed, blocked, drawn, graph, all] = await Promise.all([
      code(["list", "--project", project_id]),
      json<{ tasks: CodeTask[] }>(["list", "--project", project_id, "--status", "blocked,failed"]),
      code(["graph", "--project", project_id]),
      json<{ nodes: CodeTask[]; edges: { to: string; on_failure: string }[] }>([
        "graph",
        "--project",
        project_id,
      ]),
      json<{ tasks: CodeTask[] }>(["list", "--project", project_id]),
    ]);
    expect(listed.stdout.split("\n")[0]).toMatch(/^ID +STATUS +TRIES +WORKER +COST +SINCE +TITLE/);
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

  test("adds a task by title, with blockers, once per key", async () => {
    const { project_id } = await createTestRepository(server);
    const first = await json<{ tasks: [CodeTask] }>(["add", "First", "--project", project_id]);
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
    const [second, again] = [await json<{ tasks: [CodeTask] }>(add), await json<{ tasks: [CodeTask] }>(add)];
    expect(second.tasks).toMatchObject([
      { status: "blocked", max_attempts: 1, blocked_by: [{ task_id: id }] },
    ]);
    expect(again.tasks[0].id).toBe(second.tasks[0].id);
  });

  test("explains a usage fault (exit code 2) or a refusal (3), without a stack trace", async () => {
    const { folder } = await createTestRepository(server);
    const WRONG: [yaml: string | null, args: string[], exit: number, message: RegExp][] = [
      ["- One", ["Two"], 2, /Give a title, or --file/],
      [null, [" "], 2, /The title is empty\./],
      [null, ["--file", "gone.yaml"], 2, /gone\.yaml cannot be read/],
      ["- a: [", [], 2, /tasks-\d\.yaml: .*\.$/m],
      ["- ".repeat(20_000), [], 2, /tasks-\d\.yaml: values are nested more than 100 levels deep/],
      [MULTIPLYING_ALIASES, [], 2, /tasks-\d\.yaml: Excessive alias count/],
      ["- title: One\n  atfer: [x]", [], 2, /task 1: .*atfer/],
      ["- title: One\n  after: [x]", [], 2, /there is no task x/],
      ["- {ref: a, title: A, after: [b]}\n- {ref: b, title: B, after: [a]}", [], 3, /wait/],
      [null, ["Title", "--priority", "high"], 2, /It must be a number from/],
    ];
    await Promise.all(
      WRONG.map(async ([yaml, args, exit, message], n) => {
        const file = join(folder, `tasks-${n}.yaml`);
        if (yaml !== null) await writeFile(file, yaml);
        const more = yaml === null ? [] : ["--file", file];
        const ran = await code(["add", ...args, ...more], { cwd: folder });
        expect(ran.stderr).toMatch(message);
        expect(ran).toMatchObject({ code: exit, stdout: "" });
        expect(ran.stderr).not.toMatch(/^ +at /m);
      }),
    );
  });
});

describe("pawl code run", () => {
  const run = ({ repo, project_id }: TestRepository, agent: string, ...more: string[]) =>
    ["run", "--repo", repo, "--project", project_id, "--agent", agent, ...more] as const;
  const tokensLeft = async () => {
    const member = `coder-${hostname().replaceAll(/[^\w.-]/g, "-")}`;
    const { body } = await server.ask(`GET /api/members/${member}/tokens`);
    return ((body.tokens ?? []) as { confined_to: object | null }[]).filter(
      (one) => one.confined_to === null,
    );
  };

  test("runs all tasks; then show, log, worktrees, catch-up and retry work on the result", async () => {
    const bench = await createTestRepository(server);
    const { add, agent, git, repo, project_id } = bench;
    const good = await add("Write two");
    const bad = await add("Break it", { max_attempts: 1 });
    const script = await agent(
      `echo "I am on it"; echo x > "file-$PAWL_TASK_ID"; case "$1" in *"Break it"*) exit 3;; esac`,
    );
    const ran = await code(run(bench, script, "--until-done", "--workers", "2"), { token: server.admin });
    // Exit code 1, because a task failed.
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
    expect(shown.stdout).toMatch(/^RUN +WORKER +AGENT +COST +STARTED +TOOK +OUTCOME/m);
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
    expect(again.stdout).toBe(`Your files in ${repo} are up to date with main.\n`);
    expect(gone.stdout).toMatch(/^0 worktrees removed\.\n2 pieces of unmerged work dropped/);
    expect((await code(["worktrees", "--repo", repo])).stdout).toBe("No worktrees and no kept work.\n");

    const retried = await json<CodeTask & { retry_of: string }>(["retry", bad.id]);
    expect(retried).toMatchObject({ status: "ready", retry_of: bad.id });
    expect(await code(["retry", good.id])).toMatchObject({ code: 3 });
  });

  test("revokes the token that a killed run left; `log --follow` ends with Ctrl-C", async () => {
    const bench = await createTestRepository(server);
    const { add, agent } = bench;
    const task = await add("Take long");
    const script = await agent(`echo "I take my time"; sleep 600`);
    const start = (args: readonly string[], token: string) => {
      const child = spawn(process.execPath, [...BUILT_PAWL, "code", ...args], {
        env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      return { child, output: () => output, ended: once(child, "close") };
    };
    const runner = start(run(bench, script), server.admin);
    const reader = start(["log", task.id, "--follow"], server.lea);
    await until(() => reader.output().includes("I take my time"));
    expect(await tokensLeft()).toHaveLength(1);
    runner.child.kill("SIGKILL");
    reader.child.kill("SIGINT");
    expect(await reader.ended).toEqual([0, null]);
    await runner.ended;

    const again = await add("Take long again");
    const next = start(run(bench, script, "--grace", "600"), server.admin);
    await until(() => next.output().includes("working"));
    expect(await tokensLeft()).toHaveLength(1);
    next.child.kill("SIGINT");
    await until(() => next.output().includes("Ctrl-C again"));
    next.child.kill("SIGINT");
    expect(await next.ended).toEqual([0, null]);
    expect(await tokensLeft()).toEqual([]);
    expect(await server.getTask(again.id)).toMatchObject({ status: "ready", attempts: 0 });
  });

  test("`run` and `log --follow` end after their reader has closed the pipe; the task is released", async () => {
    const bench = await createTestRepository(server);
    const task = await bench.add("Take long");
    const script = await bench.agent(`echo "I take my time"; sleep 600`);
    const upToOneLine = (args: readonly string[], token: string, openUntil?: string) =>
      firstLineOf(
        [...BUILT_PAWL, "code", ...args],
        { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
        openUntil === undefined ? {} : { openUntil },
      );
    // The run goes on until its log was read.
    const wasRead = join(bench.folder, "log-was-read");
    const runner = upToOneLine(run(bench, script, "--grace", "0"), server.admin, wasRead);
    const reader = upToOneLine(["log", task.id, "--follow"], server.lea);
    expect(await reader).toEqual({ code: 0, stdout: "I take my time\n", stderr: "" });
    await writeFile(wasRead, "");
    expect(await runner).toMatchObject({ code: 0, stderr: "" });
    expect(await tokensLeft()).toEqual([]);
    expect(await server.getTask(task.id)).toMatchObject({ status: "ready", attempts: 0 });
  });

  test("completes tasks with a timeout of a fractional number of milliseconds", async () => {
    const bench = await createTestRepository(server);
    const task = await bench.add("Take 8.2 minutes at most");
    const script = await bench.agent("echo done > done");
    const ran = await code(run(bench, script, "--timeout", "8.2", "--until-done"), { token: server.wim });
    expect(ran.code).toBe(0);
    expect(await server.getTask(task.id)).toMatchObject({ status: "completed", attempts: 0 });
  });

  test("refuses a setup that cannot work, and names the remedy", async () => {
    const { repo } = await createTestRepository(server);
    const WRONG: [args: string[], exit: number, message: RegExp][] = [
      [["--agent", "no-such-agent {prompt}"], 2, /"no-such-agent" is not installed\.\n.*--agent/],
      [["--agent", "true", "--target", "gone"], 2, /There is no branch gone/],
      [["--agent", "true", "--repo", "/"], 2, /is not a git repository/],
      [["--agent", "true", "--worktrees", "inside"], 2, /must be outside it/],
      [["--timeout", "soon"], 2, /It must be a number from/],
      [["--agent", "sh -c 'true"], 2, /unclosed quote/],
    ];
    await Promise.all(
      WRONG.map(async ([args, exit, message]) => {
        const ran = await code(["run", ...args], { token: server.wim, cwd: repo });
        expect(ran.stderr).toMatch(message);
        expect(ran.code).toBe(exit);
        expect(ran.stderr).not.toMatch(/^ +at /m);
      }),
    );
  });

  test("refuses a member who is not a worker, and explains how to create one", async () => {
    const bench = await createTestRepository(server);
    const ran = await code(run(bench, "true"));
    expect([ran.code, ran.stderr]).toEqual([
      3,
      expect.stringMatching(/"lea" cannot claim tasks.*\n.*pawl members add coder/),
    ]);
  });
});
