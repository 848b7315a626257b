// Fails if rule 10 (every call gets an answer or a retryable error, whatever happens to the connections) is broken.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { PawlError } from "../../../src/core/index.ts";
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { ann, openTestEngine } from "../test-engine.ts";
import { inParallel, expectIntegrity, createTasks, pick, tally, outcomeOf } from "./nodes.ts";

const env = await openTestEngine({ maxConnections: 2 });
const caller = env.by(ann);
const notes = await createTasks(
  env,
  ann,
  Array.from({ length: 100 }, (_, index) => ({
    lifecycle: "board",
    title: `Note ${index}`,
    description: "-",
  })),
);

test("a node that is shut down during a batch first answers all requests, and no answered request is lost", async () => {
  for (let round = 0; round < 20; round++) {
    const sql = connect(env.url, { maxConnections: 3 });
    const engine = new Engine(sql, PLUGINS);
    let answered = 0;
    const count = <T>(answer: Promise<T>) => answer.finally(() => answered++);
    const requests = Array.from({ length: 100 }, (_, index) => [
      count(
        engine.perform(caller, {
          task_id: pick(notes, index).id,
          action: "comment",
          comment: `round ${round} note ${index}`,
        }),
      ),
      count(engine.create(caller, [{ lifecycle: "code", title: `round ${round} task ${index}` }])),
      count(engine.claim(caller, { lifecycle: "code" })),
    ]).flat();
    // The later rounds drain at a later stage of the batches.
    for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
    await engine.drain();
    await new Promise(setImmediate);
    expect(answered).toBe(requests.length);
    await sql.end({ timeout: 5 });
    const outcomes = tally((await Promise.all<{ kind: string }>(requests)).map(outcomeOf));
    expect(outcomes).toEqual({ performed: 100, created: 100, claimed: 100 });
    const [stored] = await env.sql`
      select count(*) filter (where action = 'comment' and comment like ${`round ${round} %`})::int as comments,
        count(*) filter (where action = 'create' and patch ->> 'title' like ${`round ${round} %`})::int as tasks
      from pawl.event`;
    expect(stored).toEqual({ comments: 100, tasks: 100 });
  }
  await expectIntegrity(env);
});

test("a node whose database client has ended answers UNAVAILABLE at once", async () => {
  const sql = connect(env.url, { maxConnections: 1 });
  const engine = new Engine(sql, PLUGINS);
  await sql.end({ timeout: 5 });
  const error = await engine.claim(caller, { lifecycle: "code" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PawlError);
  expect(error).toMatchObject({ code: "UNAVAILABLE" });
});

test("two hundred callers on two connections all get an answer", async () => {
  for (let round = 0; round < 5; round++) {
    const answers = await inParallel<unknown>(200, (index) => {
      const task_id = pick(notes, index).id;
      if (index % 5 === 0) return env.engine.claim(caller, { lifecycle: "code", limit: 2 });
      if (index % 5 === 1) return env.engine.find(caller, task_id);
      if (index % 5 === 2) return env.engine.list(caller, { limit: 10 });
      if (index % 5 === 3) return env.engine.create(caller, [{ lifecycle: "code", title: "More" }]);
      return env.engine.perform(caller, { task_id, action: "comment", comment: "so" });
    });
    expect(answers.length).toBe(200);
    for (const answer of answers) expect(answer).not.toHaveProperty("code");
  }
  await expectIntegrity(env);
});

test("callers get UNAVAILABLE while every connection is in use, and are served once one is free", async () => {
  const sql = connect(env.url, { maxConnections: 2 });
  const engine = new Engine(sql, PLUGINS, { retryTimeoutMs: 100 });
  let free: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => (free = resolve));
  const taken = inParallel(2, () => sql.begin(() => freed));
  const title = "Retried later";
  const errors = await inParallel(20, (index) =>
    (index % 2 === 0
      ? engine.create(caller, [{ lifecycle: "code", title }])
      : engine.claim(caller, { lifecycle: "code" })
    ).catch((error: unknown) => error),
  );
  for (const one of errors) expect(one).toMatchObject({ code: "UNAVAILABLE" });
  free();
  await taken;
  expect(outcomeOf(await engine.create(caller, [{ lifecycle: "code", title }]))).toBe("created");
  // No request that got UNAVAILABLE took effect.
  expect((await env.engine.list(caller, { q: title })).tasks.length).toBe(1);
  await sql.end({ timeout: 5 });
});

test("callers get UNAVAILABLE in time when the server closes every connection", async () => {
  // Like a proxy whose PostgreSQL is down; the driver alone would retry forever.
  const proxy = createServer((socket) => socket.on("error", () => undefined).destroy());
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const sql = connect(`postgres://pawl@127.0.0.1:${port}/pawl`, { maxConnections: 2 });
  const engine = new Engine(sql, PLUGINS, { retryTimeoutMs: 100 });
  const errors = await inParallel(10, () =>
    engine.claim(caller, { lifecycle: "code" }).catch((error: unknown) => error),
  );
  for (const one of errors) expect(one).toMatchObject({ code: "UNAVAILABLE" });
  await sql.end({ timeout: 0 });
  proxy.close();
  await once(proxy, "close");
});
