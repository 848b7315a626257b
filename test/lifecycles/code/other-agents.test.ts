import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENTS_FOLDER, installOtherAgents } from "../../support/coding-agents.ts";
import { openModelApi } from "../../support/model-api.ts";
import type { ToolCall } from "../../support/model-api.ts";
import { commentsOn, runAgent, runsOf, startAgentServer } from "./real-agents-bench.ts";
import { createTestRepository } from "./test-repository.ts";

const isInstalled = (await installOtherAgents()) !== null;
const server = await startAgentServer();

const AGENTS = [
  { agent: "gemini", comment: "mcp_pawl_task_comment", hasCost: false },
  { agent: "opencode", comment: "pawl_task_comment", hasCost: true },
];
const FINAL_MESSAGE = "The greeting is there.";
const COMMENT = "The greeting is written.";

describe.skipIf(!isInstalled).each(AGENTS)("$agent", ({ agent, comment, hasCost }) => {
  test("edits only its worktree, runs no shell command, calls Pawl's tools, and continues its session", async () => {
    const settings = { continue: true };
    const bench = await createTestRepository(server, { within: AGENTS_FOLDER, lease_seconds: 60, settings });
    const { add, folder, git, read } = bench;
    const task = await add("Greet");
    const outside = join(folder, "outside");
    await mkdir(outside);
    const later: ToolCall[] = [];
    const calls = async () => {
      const worktree = String((await server.getTask(task.id)).worktree);
      later.push({ write: join(worktree, "second"), content: "again\n" });
      return [
        { write: join(worktree, "greeting"), content: "hello\n" },
        { shell: "echo no > by-shell" },
        { pawl: "comment", input: { task_id: task.id, comment: COMMENT } },
        { write: join(outside, "by-edit"), content: "no\n" },
      ];
    };
    const api = await openModelApi(calls, FINAL_MESSAGE, { later });
    const ran = await runAgent(server, { ...bench, api }, "--agent", agent, "--verify", "cat second");
    expect(await server.getTask(task.id)).toMatchObject({ status: "completed", attempts: 1 });
    expect(ran.code).toBe(0);
    expect(await git("ls-tree", "--name-only", "main")).toBe("greeting\nlist\nsecond");
    expect([await read("greeting"), await read("second")]).toEqual(["hello", "again"]);
    expect(await readdir(outside)).toEqual([]);
    expect(await commentsOn(server, task)).toEqual([{ actor_id: "wim", comment: COMMENT }]);
    expect(ran.output).toEqual(expect.arrayContaining([`${comment} ${COMMENT}`, FINAL_MESSAGE]));
    // Raw JSON of the agents is not shown.
    expect(ran.output.filter((line) => line.includes('{"type"'))).toEqual([]);
    // A continued session has both prompts. Each request to the model counts once: five, then two.
    expect(api.prompts).toBe(2);
    const runs = await runsOf(server, task);
    expect(runs).toMatchObject([
      { agent, usage: { input_tokens: 50, output_tokens: 25 } },
      { agent, usage: { input_tokens: 20, output_tokens: 10 } },
    ]);
    for (const { usage } of runs) expect(usage.cost_usd !== null).toBe(hasCost);
  });
});
