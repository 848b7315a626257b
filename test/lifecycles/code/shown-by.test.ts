import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { endLeasesOf } from "../../support/end-leases.ts";
import { until } from "../../support/until.ts";
import { openCodeShop } from "./code-shop.ts";
import type { CodeTask } from "./code-shop.ts";
import { gitEnvironment, openWorkbench } from "./workbench.ts";

const shop = await openCodeShop();

test("twenty tasks with dependencies, four workers, two of them killed midway: every task is merged once, and nothing is left over", async () => {
  const bench = await openWorkbench(shop);
  const { git, repo, folder, project_id, agent, history } = bench;
  await shop.ask(`PATCH /api/projects/${project_id}`, {
    body: { settings: { code: { lease_seconds: 3_600, claim_timeout_minutes: 60 } } },
  });
  // The user is in the midst of something.
  await writeFile(join(repo, "list"), "one\nand a half\n");
  await writeFile(join(repo, "draft"), "mine\n");
  await git("add", "draft");
  const before = {
    index: await readFile(join(repo, ".git/index"), "base64"),
    staged: await git("ls-files", "--stage"),
  };

  const { body } = await shop.ask("POST /api/code/tasks/batch", {
    token: shop.lea,
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
  const tokens = await Promise.all(names.map((id) => shop.member({ id, kind: "worker", roles: ["worker"] })));
  const workers = tokens.map((token) => worker(token, repo, project_id, script, folder));
  const sweeping = setInterval(() => void shop.engine.sweep().catch(() => undefined), 300);
  onTestFinished(() => {
    clearInterval(sweeping);
  });
  const completed = async () => {
    const { body: summary } = await shop.ask(`GET /api/code/summary?project_id=${project_id}`);
    return (summary.by_status as Record<string, number>).completed ?? 0;
  };
  for (const [at, victim] of workers.slice(0, 2).entries()) {
    // Killed while its agents are at work.
    await until(async () => (await completed()) >= 2 * (at + 1) && victim.said().includes("working"));
    victim.child.kill("SIGKILL");
    await victim.ended;
    await endLeasesOf(shop.sql, names[at]!);
  }
  await until(async () => (await completed()) === 20).catch(async (error: unknown) => {
    const { body: left } = await shop.ask(
      `GET /api/code/tasks?project_id=${project_id}&status=ready,claimed,in_progress,blocked,failed`,
    );
    throw new Error(JSON.stringify([left, workers.map(({ said }) => said())], null, 1), { cause: error });
  });
  for (const { child } of workers.slice(2)) child.kill("SIGINT");
  for (const { ended, said } of workers.slice(2)) expect(await ended, said()).toBe(0);

  const journal = await shop.sql<{ task_id: string; completions: number }[]>`
    select task_id, (count(*) filter (where action = 'complete'))::integer as completions
    from pawl.event where project_id = ${project_id} group by task_id`;
  expect(journal.map(({ completions }) => completions)).toEqual(Array.from({ length: 20 }, () => 1));
  expect([...(await history())].sort()).toEqual(tasks.map(({ title }) => title).sort());
  expect(await git("log", "--merges", "--format=%h", "main")).toBe("");
  for (const { id } of tasks)
    expect(await git("log", "--format=%h", `--grep=Pawl-Task: ${id}`, "main")).toMatch(/^\w+$/);
  // Whoever waited for others came after them.
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
  expect((await shop.engine.verify("main")).differences).toEqual([]);
});

/** Four begin at once; each of the others waits for one or two before it. */
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
    env: { ...gitEnvironment(), PAWL_URL: shop.url, PAWL_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, said: () => said };
}
