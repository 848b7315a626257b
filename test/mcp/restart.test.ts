import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import { connectAgent, tasksIn, TRANSPORTS } from "./agent.ts";

const until = afterAll;
const ADMIN = "an-admin-of-the-test";

async function freePort(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
}

test.each(TRANSPORTS)(
  "over %s an agent continues through a restart of the server, and nothing is done twice",
  async (transport) => {
    const env = { DATABASE_URL: await emptyDatabase({ until }), PAWL_ADMIN_TOKEN: ADMIN };
    const start = ["--port", await freePort(), "--data", await scratchData({ until })];
    const before = await startPawl(start, { env });
    await before.ask("POST /api/members", ADMIN, { id: "alpha", roles: ["agent"] });
    const { body } = await before.ask("POST /api/members/alpha/tokens", ADMIN, {});
    const agent = await connectAgent(transport, { url: before.address, token: String(body.token) });
    const tasks = ["First of all", "Second of all"].map((title) => ({
      lifecycle: "board",
      title,
      description: "x",
    }));
    const created = await agent.call("create_tasks", { tasks });
    const claim = { lifecycle: "board", comment: "mine" };
    const [mine] = tasksIn(await agent.call("claim_task", claim));
    const { after: position } = (await agent.call("list_tasks")).data;
    const waiting = agent
      .call("wait_for_changes", { after: position, seconds: 40, task_id: mine!.id })
      .catch(() => null);

    expect(await before.stop()).toBe(0);
    // Over standard streams the agent's process retries until the server is back; over HTTP the client must retry.
    const early = agent.call("create_tasks", { tasks }).catch(() => null);
    const after = await startPawl(start, { env });
    expect(after.address).toBe(before.address);
    const answered = await early;
    if (transport === "stdio") expect(answered?.refused).toBe(false);

    const again = await agent.call("create_tasks", { tasks });
    expect(tasksIn(again).map(({ id }) => id)).toEqual(tasksIn(created).map(({ id }) => id));
    const claimed = await agent.call("claim_task", claim);
    expect(tasksIn(claimed).map(({ id }) => id)).toEqual([mine!.id]);
    await after.ask(`POST /api/tasks/${mine!.id}/transitions`, ADMIN, {
      action: "comment",
      comment: "Hurry",
    });
    // Over standard streams the same call was waiting during the restart.
    if (transport === "stdio") expect((await waiting)?.text).toContain("admin: comment");
    else expect(await waiting).toBeNull();
    const done = { task_id: mine!.id, action: "complete", comment: "done" };
    expect((await agent.call("act", done)).data).toMatchObject({ task: { status: "DONE", row_version: 4 } });
    expect((await agent.call("act", done)).data).toMatchObject({ task: { status: "DONE", row_version: 4 } });
    await after.stop();
  },
);
