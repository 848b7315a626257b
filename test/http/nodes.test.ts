import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { outcomeOf } from "./test-server.ts";
import { emptyDatabase, scratchData, startPawl } from "./running-pawl.ts";

const TOKEN = "an-admin-of-the-test";
const until = afterAll;
const env = {
  DATABASE_URL: await emptyDatabase({ until }),
  PAWL_ADMIN_TOKEN: TOKEN,
  PAWL_SWEEP_SECONDS: "0.2",
};
const start = async () => startPawl(["--data", await scratchData({ until }), "--port", "0"], { env, until });
const nodes = await Promise.all([start(), start(), start()]);
const [one, two] = nodes;
await one.ask("PATCH /api/members/admin", TOKEN, { roles: ["admin", "agent", "worker"] });

const add = (at: typeof one, more: object = {}) =>
  at.ask("POST /api/tasks", TOKEN, { lifecycle: "code", title: "Mend it", ...more });
const journal = async (id: string) => {
  const { body } = await two.ask(`GET /api/tasks/${id}/events`, TOKEN);
  return (body.events as { action: string }[]).map(({ action }) => action);
};

test("concurrent claims at several nodes get each task once", async () => {
  const created = await Promise.all(
    Array.from({ length: 120 }, (_, index) => add(nodes[index % nodes.length]!)),
  );
  const claimed: string[] = [];
  await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: 5 }, async () => {
        for (;;) {
          const { body } = await node.ask("POST /api/claims", TOKEN, { lifecycle: "code", limit: 3 });
          const tasks = body.tasks as { id: string }[];
          if (tasks.length === 0) return;
          claimed.push(...tasks.map(({ id }) => id));
        }
      }),
    ),
  );
  expect(claimed.sort()).toEqual(created.map(({ body }) => String(body.id)).sort());
  expect(await journal(claimed[0]!)).toEqual(["create", "claim"]);
});

test("one idempotency key creates one task, even if sent to all nodes at once", async () => {
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(nodes.map((node) => add(node, { client_event_id: `round ${round}` })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  }
});

test("after one node revokes a token or deactivates a member, the others refuse it at once", async () => {
  for (let round = 0; round < 20; round++) {
    const { body: ann } = await one.ask("POST /api/members", TOKEN, {});
    const { body: first } = await one.ask(`POST /api/members/${String(ann.id)}/tokens`, TOKEN, {});
    const { body: second } = await two.ask(`POST /api/members/${String(ann.id)}/tokens`, TOKEN, {});
    const word = async (node: typeof one, token: unknown) =>
      outcomeOf(await node.ask("GET /api/me", String(token)));
    for (const node of nodes) expect(await word(node, first.token)).toBe("200");
    await one.ask(`DELETE /api/tokens/${String(first.id)}`, TOKEN);
    for (const node of nodes) expect(await word(node, first.token)).toBe("401 INVALID_TOKEN");
    await two.ask(`PATCH /api/members/${String(ann.id)}`, TOKEN, { active: false });
    for (const node of nodes) expect(await word(node, second.token)).toBe("401 MEMBER_INACTIVE");
  }
});

test("a timer fires once though all nodes sweep, even if one of them is killed", async () => {
  const settings = { board: { status_deadlines: { NEW: 0.005 } } };
  await one.ask("POST /api/projects", TOKEN, { id: "hasty", settings });
  const task = { lifecycle: "board", title: "Late from the start", description: "x", project_id: "hasty" };
  const created = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      nodes[index % nodes.length]!.ask("POST /api/tasks", TOKEN, task),
    ),
  );
  nodes[2].child.kill("SIGKILL");
  const ids = created.map(({ body }) => String(body.id));
  for (;;) {
    const { body } = await one.ask("GET /api/tasks?project_id=hasty&status=NEW&limit=1", TOKEN);
    if ((body.tasks as unknown[]).length === 0) break;
    await pause(50);
  }
  const journals = await Promise.all(ids.map(journal));
  expect(new Set(journals.map((actions) => actions.length))).toEqual(new Set([2]));
  expect(new Set(journals.map(([first]) => first))).toEqual(new Set(["create"]));
});
