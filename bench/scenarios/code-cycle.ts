import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "../../src/client/index.ts";
import { SYSTEM } from "../../src/core/index.ts";
import { buildServer } from "../../src/server/server.ts";
import { openPawl } from "../../src/main/index.ts";
import { CODE_ROUTES } from "../../src/lifecycles/code/api.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../src/main/plugins.ts";
import { openRepository } from "../../src/lifecycles/code/worker/repository.ts";
import { startCodeWorker } from "../../src/lifecycles/code/worker/start-code-worker.ts";
import { compare } from "../compare.ts";
import { fromCallers, timed } from "../contender.ts";
import type { Measurement } from "../contender.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const execute = promisify(execFile);
const WORKERS = 2;
const AGENT = ["/bin/sh", "-c", 'echo done > "work-$PAWL_TASK_ID"'];

/** Measures coding tasks from ready to merged, with an agent that does almost nothing, against the same git commands in a script. */
export async function codeCycle(env: Environment): Promise<Report> {
  const { url } = await env.startPawl();
  const pawl = await openPawl({ url, plugins: PLUGINS, sweepSeconds: 0, reconcileSeconds: 0 });
  const { directory } = pawl;
  const server = await buildServer({
    engine: pawl.engine,
    directory,
    version: "0.0.0",
    plugins: serverPlugins(PLUGINS, pluginSettings(PLUGINS)),
  });
  try {
    const address = await server.listen({ port: 0, host: "127.0.0.1" });
    const caller = { org_id: "main", actor: SYSTEM };
    await directory.addMember(caller, { id: "coder", kind: "worker", roles: ["worker"] });
    const issued = await directory.issueToken(caller, "coder");
    if (issued.kind === "refused") throw new Error(issued.detail);
    const tasks = env.quick ? 20 : 60;
    return await compare(env, {
      title: `Coding tasks from ready to merged, ${WORKERS} at a time, with an agent that writes one line`,
      unit: "tasks/s",
      rounds: [5, 3],
      subject: "Pawl",
      entries: [
        { name: "Pawl", modes: [{}], measure: () => measurePawl(address, issued.token, tasks) },
        { name: "git by hand", modes: [{}], measure: () => measureByHand(tasks) },
      ],
      aims: [{ atLeast: 0.4, of: ["git by hand"] }],
      notes: [
        "By hand: add a worktree, run the agent, commit, rebase under a lock, move the branch, remove the worktree. No queue, lease, journal, log or token, and no recovery after a crash.",
      ],
    });
  } finally {
    await server.close();
    await pawl.close();
  }
}

async function measurePawl(url: string, token: string, tasks: number): Promise<Measurement> {
  return inRepository(async (repo) => {
    const client = createClient({ url, token });
    await client.calls(CODE_ROUTES).createCodeTasks({
      tasks: Array.from({ length: tasks }, (_, n) => ({ title: `Task ${n}` })),
    });
    const repository = await openRepository({ path: repo });
    const agent = AGENT.map((word) => `'${word}'`).join(" ");
    const rules = { agent, verify: null, timeoutMs: 60_000, hooks: true, url, from: repo };
    return timed(tasks, async () => {
      let left = tasks;
      let finish: () => void = () => undefined;
      const done = new Promise<void>((resolve) => (finish = resolve));
      const worker = startCodeWorker({
        client,
        repository,
        rules,
        workers: WORKERS,
        onEvent: (event) => {
          if (event.kind === "finished" && --left === 0) finish();
          if (event.kind === "failed" || event.kind === "refused") throw new Error(JSON.stringify(event));
        },
      });
      await done;
      await worker.stop();
    });
  });
}

async function measureByHand(tasks: number): Promise<Measurement> {
  return inRepository(async (repo) => {
    const git = async (cwd: string, ...args: string[]) => (await execute("git", args, { cwd })).stdout.trim();
    let previousMerge: Promise<unknown> = Promise.resolve();
    const [shell = "", ...script] = AGENT;
    return timed(tasks, () =>
      fromCallers(WORKERS, tasks, async (n) => {
        const [branch, path] = [`work/${n}`, join(repo, "..", `tree-${n}`)];
        await git(repo, "worktree", "add", "--quiet", "-b", branch, path, "main");
        await execute(shell, script, { cwd: path, env: { ...process.env, PAWL_TASK_ID: String(n) } });
        await git(path, "add", "--all");
        await git(path, "commit", "--quiet", "-m", `Task ${n}`);
        const merge = async () => {
          const tip = await git(repo, "rev-parse", "refs/heads/main");
          await git(path, "rebase", "--quiet", tip);
          await git(repo, "update-ref", "refs/heads/main", await git(path, "rev-parse", "HEAD"), tip);
        };
        previousMerge = previousMerge.then(merge);
        await previousMerge;
        await git(repo, "worktree", "remove", "--force", path);
        await git(repo, "branch", "--quiet", "-D", branch);
      }),
    );
  });
}

async function inRepository(work: (repo: string) => Promise<Measurement>): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-bench-code-"));
  const repo = join(folder, "repo");
  try {
    await execute("git", ["init", "--quiet", "--initial-branch=main", repo]);
    await execute("git", ["config", "user.name", "Bench"], { cwd: repo });
    await execute("git", ["config", "user.email", "bench@example.org"], { cwd: repo });
    await writeFile(join(repo, "README"), "A repository\n");
    await execute("git", ["add", "."], { cwd: repo });
    await execute("git", ["commit", "--quiet", "-m", "first"], { cwd: repo });
    return await work(repo);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
