import { afterAll, expect, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import { Engine } from "../../src/engine/engine.ts";
import { buildServer } from "../../src/server/server.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { databaseSwitch } from "./database-switch.ts";
import { heardOf, openFrontDesk, wordOf } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent"] });
const database = await databaseSwitch(desk.desk.url);
const sql = connect(database.url, { maxConnections: 4, connectTimeoutSeconds: 1 });
const engine = new Engine(sql, PLUGINS, { patienceMs: 500 });
const directory = new Directory(sql, LIFECYCLES, { patienceMs: 500 });
const app = await buildServer({ engine, directory, version: "0.0.0", checksReplies: true });
const url = await app.listen({ port: 0, host: "127.0.0.1" });
afterAll(async () => {
  await app.close();
  await sql.end({ timeout: 1 });
  await database.close();
});

const board = { lifecycle: "board", title: "Paint the shed", description: "x" };
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
    ...(method === "GET" ? {} : { body: JSON.stringify({ ...board, comment: "mine" }) }),
  });
  return heardOf(response);
}

test("a database that is gone is 503 with Retry-After, and all is well again when it is back", async () => {
  for (let round = 0; round < 3; round++) {
    for (const [method, path] of REQUESTS) expect((await ask(method, path)).status).toBeLessThan(300);
    expect(wordOf(await ask("GET", "/ready"))).toBe("200");

    await database.off();
    expect(wordOf(await ask("GET", "/live"))).toBe("200");
    expect(wordOf(await ask("GET", "/ready"))).toBe("503 UNAVAILABLE");
    const gone = await Promise.all(REQUESTS.map(([method, path]) => ask(method, path)));
    expect(gone.map(wordOf)).toEqual(REQUESTS.map(() => "503 UNAVAILABLE"));
    for (const { headers, body } of gone) {
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(body.detail).not.toMatch(/ECONN|socket|postgres/i);
    }

    await database.on();
    await expect.poll(async () => wordOf(await ask("GET", "/ready"))).toBe("200");
  }
});

test("a request that is under way when the database goes and comes back is answered all the same", async () => {
  const patient = new Directory(sql, LIFECYCLES, { patienceMs: 10_000 });
  await database.off();
  const waiting = patient.authenticate(ann);
  await database.on();
  expect(await waiting).toMatchObject({ kind: "known", actor: { id: "ann" } });
});
