import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "../../http/test-server.ts";
import { connectPlainly, countEvents, lockRows } from "./cluster.ts";

const server = await startTestServer({ statementTimeoutMs: 3_000, retryTimeoutMs: 3_000 });
const token = await server.member({ id: "ann", roles: ["agent"] });

test("a command whose row stays locked is answered with 503 and Retry-After, and changes nothing", async () => {
  const board = { lifecycle: "board", title: "Paint the shed", description: "Green" };
  const id = String((await server.ask("POST /api/tasks", { token, body: board })).body.id);
  const sql = connectPlainly(server.testEngine.url, 2);
  const release = await lockRows(sql, [{ id }]);
  try {
    for (const [what, body] of [
      [`POST /api/tasks/${id}/transitions`, { action: "claim", comment: "mine" }],
      [`POST /api/board/tasks/${id}/claim`, { comment: "mine", client_event_id: "locked" }],
    ] as const) {
      const response = await server.ask(what, { token, body });
      expect(outcomeOf(response)).toBe("503 UNAVAILABLE");
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await server.ask(`GET /api/tasks/${id}`, { token })).body).toMatchObject({ status: "NEW" });
  } finally {
    await release();
  }
  await server.engine.drain();
  expect(await countEvents(sql, id)).toBe(1);
  await sql.end();
});
