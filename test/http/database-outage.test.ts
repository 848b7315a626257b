import { afterAll, expect, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import { Engine } from "../../src/engine/engine.ts";
import { buildServer } from "../../src/server/server.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { databaseSwitch } from "./database-switch.ts";
import { replyOf, startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent"] });
const database = await databaseSwitch(server.testEngine.url);
const sql = connect(database.url, { maxConnections: 4, connectTimeoutSeconds: 1 });
const engine = new Engine(sql, PLUGINS, { retryTimeoutMs: 500 });
const directory = new Directory(sql, LIFECYCLES, { retryTimeoutMs: 500 });
const app = await buildServer({ engine, directory, version: "0.0.0", checksReplies: true });
const url = await app.listen({ port: 0, host: "127.0.0.1" });
afterAll(async () => {
  await app.close();
  await sql.end({ timeout: 1 });
  await database.close();
});

const BODY = { lifecycle: "board", title: "Paint the shed", description: "x", comment: "mine" };
const REQUESTS = [
  ["GET", "/api/me"],
  ["GET", "/api/tasks"],
  ["GET", "/api/members"],
  ["POST", "/api/tasks"],
  ["POST", "/api/claims"],
] as const;

async function ask(method: string, path: string) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${ann}`,
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(BODY) }),
  });
  return replyOf(response);
}

test("while the database is unreachable, requests get 503 with Retry-After; afterwards they succeed again", async () => {
  for (let round = 0; round < 3; round++) {
    for (const [method, path] of REQUESTS) expect((await ask(method, path)).status).toBeLessThan(300);
    expect(outcomeOf(await ask("GET", "/ready"))).toBe("200");

    await database.off();
    expect(outcomeOf(await ask("GET", "/live"))).toBe("200");
    expect(outcomeOf(await ask("GET", "/ready"))).toBe("503 UNAVAILABLE");
    const replies = await Promise.all(REQUESTS.map(([method, path]) => ask(method, path)));
    expect(replies.map(outcomeOf)).toEqual(REQUESTS.map(() => "503 UNAVAILABLE"));
    for (const { headers, body } of replies) {
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(body.detail).not.toMatch(/ECONN|socket|postgres/i);
    }

    await database.on();
    await expect.poll(async () => outcomeOf(await ask("GET", "/ready"))).toBe("200");
  }
});

test("a request that begins during a short outage succeeds when the database is back", async () => {
  const retrying = new Directory(sql, LIFECYCLES, { retryTimeoutMs: 10_000 });
  await database.off();
  const waiting = retrying.authenticate(ann);
  await database.on();
  expect(await waiting).toMatchObject({ kind: "known", actor: { id: "ann" } });
});
