import { expect, test } from "vitest";
import { startTestServer } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const otherNode = await startTestServer({ sameDatabaseAs: server });
const { ask, make, cat } = server;
const ROUNDS = 120;

test(`one of fifty agents that claim a task at once wins, ${ROUNDS} times`, async () => {
  const agents = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      server.member({ id: `agent-${n}`, kind: "agent", roles: ["agent"] }),
    ),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await make(cat);
    const answers = await Promise.all(
      agents.map((token, n) =>
        // Half of the requests go to another node.
        (n % 2 === 0 ? server : otherNode).ask(`POST /api/board/tasks/${id}/claim`, {
          token,
          body: { comment: "mine" },
        }),
      ),
    );
    const codes = answers.map(({ status, body }) => (status === 200 ? "won" : body.code));
    expect(codes.filter((code) => code === "won")).toHaveLength(1);
    expect(codes.filter((code) => code === "TASK_ALREADY_CLAIMED")).toHaveLength(49);
    const { events } = await server.getTask(cat, id);
    expect(events.map(({ type }) => type)).toEqual(["created", "claimed"]);
  }
});

test("ten agents with claim-next take each of 1,000 tasks once", async () => {
  await ask("POST /api/projects", { body: { id: "thousand" } });
  for (let n = 0; n < 1_000; n += 250) {
    const tasks = Array.from({ length: 250 }, (_, k) => ({
      title: `Task number ${n + k}`,
      description: "One of a thousand",
    }));
    const body = { workspace_id: "thousand", tasks };
    expect((await ask("POST /api/board/tasks/batch", { token: cat, body })).status).toBe(201);
  }
  const agents = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      server.member({ id: `worker-${n}`, kind: "agent", roles: ["agent"] }),
    ),
  );
  const taken = await Promise.all(
    agents.map(async (token, n) => {
      const mine: string[] = [];
      const node = n % 2 === 0 ? server : otherNode;
      for (;;) {
        const body = { workspace_id: "thousand", comment: "next", limit: 1 + (n % 3) };
        const reply = await node.ask("POST /api/board/claim-next", { token, body });
        const tasks = reply.body.tasks as { id: string }[];
        if (tasks.length === 0) return mine;
        mine.push(...tasks.map(({ id }) => id));
      }
    }),
  );
  expect(taken.flat()).toHaveLength(1_000);
  expect(new Set(taken.flat()).size).toBe(1_000);
  const left = await ask("GET /api/board/tasks?workspace_id=thousand&status=NEW", { token: cat });
  expect(left.body.total).toBe(0);
});
