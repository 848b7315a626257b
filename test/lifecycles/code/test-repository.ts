import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { openRepository } from "../../../src/lifecycles/code/worker/repository.ts";
import type { Repository } from "../../../src/lifecycles/code/worker/repository.ts";
import type { Remote } from "../../../src/lifecycles/code/worker/publish.ts";
import { startCodeWorker } from "../../../src/lifecycles/code/worker/start-code-worker.ts";
import type { CodeWorkerEvent } from "../../../src/lifecycles/code/worker/code-worker-options.ts";
import type { CodeWorker } from "../../../src/lifecycles/code/worker/start-code-worker.ts";
import type { AgentSettings } from "../../../src/lifecycles/code/worker/attempt-context.ts";
import { SYSTEM } from "../../support/situation.ts";
import { bodyOf } from "../../http/test-server.ts";
import type { CodeServer, CodeTask } from "./code-server.ts";

const execute = promisify(execFile);

/** A user's repository with a checkout, and a project for its tasks. */
export type TestRepository = {
  folder: string;
  repo: string;
  project_id: string;
  git: (...args: string[]) => Promise<string>;
  open: () => Promise<Repository>;
  add: (title: string, fields?: object) => Promise<CodeTask>;
  /** Writes a shell script that acts as the agent; returns its command. */
  agent: (script: string) => Promise<string>;
  /** Starts a worker that is stopped after the test. */
  work: (
    rules?: Partial<AgentSettings>,
    more?: {
      workers?: number;
      url?: string;
      remote?: Remote;
      target?: string;
      diskBudget?: number;
      onEvent?: (event: CodeWorkerEvent) => void;
    },
  ) => Promise<CodeWorker & { events: CodeWorkerEvent[] }>;
  /** The subjects of main's commits, oldest first, without the initial one. */
  history: () => Promise<string[]>;
  read: (name: string) => Promise<string>;
  /** Reads a file next to the repository. */
  note: (name: string) => Promise<string>;
};

export async function createTestRepository(
  server: CodeServer,
  {
    within = tmpdir(),
    lease_seconds = 6,
    settings = {},
    project_id = `p-${randomUUID()}`,
  }: { within?: string; lease_seconds?: number; settings?: object; project_id?: string } = {},
): Promise<TestRepository> {
  const folder = await realpath(await mkdtemp(join(within, "pawl-code-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const repo = join(folder, "shop");
  const git = async (...args: string[]) =>
    (await execute("git", ["-C", repo, ...args], { env: gitEnvironment(), maxBuffer: 1e8 })).stdout.replace(
      /\n$/,
      "",
    );
  await execute("git", ["init", "--quiet", "--initial-branch=main", repo], { env: gitEnvironment() });
  await git("config", "user.name", "Ann");
  await git("config", "user.email", "ann@example.org");
  await writeFile(join(repo, "list"), "one\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await server.directory.addProject(
    { org_id: "main", actor: SYSTEM },
    { id: project_id, settings: { code: { lease_seconds, ...settings } } },
  );
  return {
    folder,
    repo,
    project_id,
    git,
    open: () => openRepository({ path: repo }),
    add: async (title, fields = {}) =>
      bodyOf<CodeTask>(
        201,
        await server.ask("POST /api/code/tasks", {
          token: server.lea,
          body: { title, project_id, ...fields },
        }),
      ),
    agent: async (script) => {
      const file = join(folder, `agent-${randomUUID().slice(0, 8)}`);
      await writeFile(file, `#!/bin/sh\nNOTES=${folder}\n${script}\n`, { mode: 0o755 });
      return `${file} {prompt}`;
    },
    work: async (rules = {}, { workers = 1, url = server.url, remote, target, diskBudget, onEvent } = {}) => {
      const events: CodeWorkerEvent[] = [];
      const worker = startCodeWorker({
        client: createClient({ url, token: server.wim }),
        repository: await openRepository({ path: repo, target }),
        rules: {
          agent: "false",
          verify: null,
          timeoutMs: 60_000,
          hooks: true,
          url: server.url,
          from: folder,
          ...rules,
        },
        workers,
        project_id,
        remote,
        diskBudget,
        graceMs: 10_000,
        onEvent: (event) => {
          events.push(event);
          onEvent?.(event);
        },
      });
      onTestFinished(() => worker.stop({ graceMs: 0 }));
      return Object.assign(worker, { events });
    },
    history: async () =>
      (await git("log", "--reverse", "--topo-order", "--format=%s", "main")).split("\n").slice(1),
    read: (name) => git("show", `main:${name}`),
    note: (name) => readFile(join(folder, name), "utf8"),
  };
}

/** Reads everything of the user's checkout that must stay unchanged. */
export async function snapshotOf({ git, repo }: TestRepository) {
  return {
    head: await readFile(join(repo, ".git/HEAD"), "utf8"),
    index: await readFile(join(repo, ".git/index"), "base64"),
    list: await readFile(join(repo, "list"), "utf8"),
    draft: await readFile(join(repo, "draft"), "utf8").catch(() => null),
    staged: await git("ls-files", "--stage"),
    stash: await git("stash", "list"),
  };
}

/** An environment without the git settings of this machine and its user. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
}
