import { expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();

/** Starts a process that leaves the agent's process group, keeps its output open, and ignores SIGTERM. */
const DETACH = `setsid sh -c 'trap "" TERM; echo $$ > '"$NOTES"'/detached; while :; do sleep 1; done' &
  until [ -s "$NOTES/detached" ]; do sleep 0.1; done`;

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

test.runIf(process.platform === "linux")(
  "an agent that leaves a detached process behind is finished, and the process is ended",
  async () => {
    const { add, agent, work, note, history } = await createTestRepository(server);
    const { id } = await add("Write two");
    await work({ agent: await agent(`${DETACH}\necho two > two`) });
    await until(async () => (await server.getTask(id)).status === "completed");
    expect(await history()).toEqual(["Write two"]);
    await until(async () => !isAlive(await note("detached")));
  },
);

test.runIf(process.platform === "linux")(
  "an agent with a detached process is stopped at its time limit",
  async () => {
    const { add, agent, work, note } = await createTestRepository(server);
    const { id } = await add("Write two", { max_attempts: 1 });
    const script = await agent(`${DETACH}\nwhile :; do sleep 1; done`);
    await work({ agent: script, timeoutMs: 2_000, killAfterMs: 100 });
    await until(async () => (await server.getTask(id)).status === "failed");
    expect((await server.getTask(id)).last_error).toContain("did not finish within");
    await until(async () => !isAlive(await note("detached")));
  },
);

test.runIf(process.platform === "linux")(
  "a check that leaves a detached process behind does not keep the worker waiting",
  async () => {
    const { folder, add, agent, work, note, history } = await createTestRepository(server);
    const { id } = await add("Write two");
    const verify = `setsid sh -c 'echo $$ > ${folder}/detached; exec sleep 600' & until [ -s ${folder}/detached ]; do sleep 0.1; done`;
    await work({ agent: await agent("echo two > two"), verify });
    await until(async () => (await server.getTask(id)).status === "completed");
    expect(await history()).toEqual(["Write two"]);
    process.kill(Number(await note("detached")), "SIGKILL");
  },
);
