import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { endLeasesOf } from "../../support/end-leases.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { gitEnvironment, createTestRepository } from "./test-repository.ts";

const server = await startCodeServer();

test("four workers, two of them killed midway, merge each of twenty dependent tasks once and leave nothing behind", async () => {
  const bench = await createTestRepository(server);
  const { git, repo, folder, project_id, agent, history } = bench;
  await server.ask(`PATCH /api/projects/${project_id}`, {
    body: { settings: { code: { lease_seconds: 3_600, claim_timeout_minutes: 60 } } },
  });
  // The user has uncommitted changes.
  await writeFile(join(repo, "list"), "one\nand a half\n");
  await writeFile(join(repo, "draft"), "mine\n");
  await git("add", "draft");
  const before = {
    index: await readFile(join(repo, ".git/index"), "base64"),
    staged: await git("ls-files", "--stage"),
  };

  const { body } = await server.ask("POST /api/code/tasks/batch", {
    token: server.lea,
    body: {
      project_id,
      tasks: Array.from({ length: 20 }, (_, n) => ({
        ref: `t${n}`,
        title: `Task ${n}`,
        blocked_by: blockersOf(n),
      })),
    },
  });
  const tasks = body.tasks as CodeTask[];
  expect(tasks.filter(({ status }) => status === "ready")).toHaveLength(4);

  const script = await agent(`echo working; sleep 0.4; echo "$PAWL_TASK_ID" > "file-$PAWL_TASK_ID"`);
  const names = ["w0", "w1", "w2", "w3"];
  const tokens = await Promise.all(
    names.map((id) => server.member({ id, kind: "worker", roles: ["worker"] })),
  );
  const workers = tokens.map((token) => worker(token, repo, project_id, script, folder));
  const sweeping = setInterval(() => void server.engine.sweep().catch(() => undefined), 300);
  onTestFinished(() => {
    clearInterval(sweeping);
  });
  const completed = async () => {
    const { body: summary } = await server.ask(`GET /api/code/summary?project_id=${project_id}`);
    return (summary.by_status as Record<string, number>).completed ?? 0;
  };
  for (const [at, victim] of workers.slice(0, 2).entries()) {
    // Killed while its agents run.
    await until(async () => (await completed()) >= 2 * (at + 1) && victim.output().includes("working"));
    victim.child.kill("SIGKILL");
    await victim.ended;
    await endLeasesOf(server.sql, names[at]!);
  }
  await until(async () => (await completed()) === 20).catch(async (error: unknown) => {
    const { body: left } = await server.ask(
      `GET /api/code/tasks?project_id=${project_id}&status=ready,claimed,in_progress,blocked,failed`,
    );
    throw new Error(JSON.stringify([left, workers.map(({ output }) => output())], null, 1), { cause: error });
  });
  for (const { child } of workers.slice(2)) child.kill("SIGINT");
  for (const { ended, output } of workers.slice(2)) expect(await ended, output()).toBe(0);

  const journal = await server.sql<{ task_id: string; completions: number }[]>`
    select task_id, (count(*) filter (where action = 'complete'))::integer as completions
    from pawl.event where project_id = ${project_id} group by task_id`;
  expect(journal.map(({ completions }) => completions)).toEqual(Array.from({ length: 20 }, () => 1));
  expect([...(await history())].sort()).toEqual(tasks.map(({ title }) => title).sort());
  expect(await git("log", "--merges", "--format=%h", "main")).toBe("");
  for (const { id } of tasks)
    expect(await git("log", "--format=%h", `--grep=Pawl-Task: ${id}`, "main")).toMatch(/^\w+$/);
  // A task is merged after its blockers.
  const order = await history();
  for (const n of tasks.keys())
    for (const ref of blockersOf(n))
      expect(order.indexOf(`Task ${ref.slice(1)}`)).toBeLessThan(order.indexOf(`Task ${n}`));

  expect(await git("fsck", "--no-dangling", "--strict")).toBe("");
  expect(await git("worktree", "list", "--porcelain")).toMatch(/^worktree [^\n]*\n(?!.*\nworktree )/s);
  expect((await git("for-each-ref", "--format=%(refname)", "refs/heads")).split("\n")).toEqual([
    "refs/heads/main",
  ]);
  expect(await readFile(join(repo, "list"), "utf8")).toBe("one\nand a half\n");
  expect(await readFile(join(repo, "draft"), "utf8")).toBe("mine\n");
  expect(await readFile(join(repo, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
  expect({
    index: await readFile(join(repo, ".git/index"), "base64"),
    staged: await git("ls-files", "--stage"),
  }).toEqual(before);
  expect((await server.engine.verify("main")).differences).toEqual([]);
});

/** Four tasks are ready at once; each of the others waits for one or two. */
function blockersOf(n: number): string[] {
  if (n < 4) return [];
  return n % 3 === 0 ? [`t${n - 4}`, `t${n - 3}`] : [`t${n - 4}`];
}

function worker(token: string, repo: string, project_id: string, agent: string, cwd: string) {
  const args = [
    ...BUILT_PAWL,
    "code",
    "run",
    "--repo",
    repo,
    "--workers",
    "2",
    "--project",
    project_id,
    "--agent",
    agent,
  ];
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, output: () => output };
}
