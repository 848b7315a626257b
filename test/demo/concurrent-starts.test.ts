import { expect, test } from "vitest";
import { DemoOrg } from "../../src/engine/directory/demo-org.ts";
import { visitorOf } from "../../src/demo/index.ts";
import { startTestServer, outcomeOf } from "../http/test-server.ts";

const ROUNDS = 8;

const first = await startTestServer();
const second = await startTestServer({ sameDatabaseAs: first });

test("concurrent starts on two nodes all succeed, each with a working token", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const started = await Promise.all([first, second, first].map((node) => node.ask("POST /api/demo")));
    expect(started.map(outcomeOf)).toEqual(["200", "200", "200"]);
    for (const { body } of started) {
      const me = await second.ask("GET /api/me", { token: String(body.token) });
      expect(me).toMatchObject({ status: 200, body: { id: "you", org_id: "demo" } });
    }
    await first.ask("DELETE /api/demo");
  }
});

test("concurrent starts in another language replace the demo, and all their tokens work", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const body = { language: round % 2 === 0 ? "ru" : "en" };
    const started = await Promise.all(
      [first, second, first].map((node) => node.ask("POST /api/demo", { body })),
    );
    expect(started.map(outcomeOf)).toEqual(["200", "200", "200"]);
    for (const { body: demo } of started) {
      expect(demo).toMatchObject(body);
      const me = await second.ask("GET /api/me", { token: String(demo.token) });
      expect(me).toMatchObject({ status: 200, body: { id: "you", org_id: "demo" } });
    }
  }
  await first.ask("DELETE /api/demo");
});

test("concurrent starts, stops and removals all succeed, as if they came one by one", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all([
      first.ask("POST /api/demo"),
      second.ask("DELETE /api/demo"),
      first.ask("POST /api/demo"),
      first.ask("DELETE /api/demo"),
      second.ask("POST /api/demo/stop"),
      second.ask("POST /api/demo"),
    ]);
    expect(answers.map(outcomeOf)).toEqual(["200", "204", "200", "204", "200", "200"]);
  }
});

test("a start completes an interrupted removal", async () => {
  const demo = new DemoOrg(first.sql, first.directory);
  await demo.start(visitorOf([], "en"), { language: "en", replace: false });
  for (const cut of ["update pawl.demo set state = 'removing'", "delete from pawl.org where id = 'demo'"]) {
    await first.ask("POST /api/demo");
    await first.sql.unsafe("update pawl.demo set state = 'removing'");
    if (cut.startsWith("delete"))
      for (const table of ["token", "member", "project"])
        await first.sql.unsafe(`delete from pawl.${table} where org_id = 'demo'`);
    await first.sql.unsafe(cut);
    const both = await Promise.all([first.ask("POST /api/demo"), second.ask("POST /api/demo")]);
    expect(both.map(outcomeOf)).toEqual(["200", "200"]);
  }
});
