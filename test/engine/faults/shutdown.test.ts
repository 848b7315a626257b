// Breaking rule 10 (an answer or a retryable error, whatever becomes of the connections) fails here.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { PawlError } from "../../../src/core/index.ts";
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { ann, openDesk } from "../desk.ts";
import { allOf, expectSound, makeTasks, pick, tally, wordOf } from "./nodes.ts";

const desk = await openDesk({ maxConnections: 2 });
const by = desk.by(ann);
const notes = await makeTasks(
  desk,
  ann,
  Array.from({ length: 100 }, (_, index) => ({
    lifecycle: "board",
    title: `Note ${index}`,
    description: "-",
  })),
);

test("a node that is shut down in mid-batch answers everything first, and nothing it has answered is lost", async () => {
  for (let round = 0; round < 20; round++) {
    const sql = connect(desk.url, { maxConnections: 3 });
    const engine = new Engine(sql, PLUGINS);
    let answered = 0;
    const count = <T>(asked: Promise<T>) => asked.finally(() => answered++);
    const asked = Array.from({ length: 100 }, (_, index) => [
      count(
        engine.perform(by, {
          task_id: pick(notes, index).id,
          action: "comment",
          comment: `round ${round} note ${index}`,
        }),
      ),
      count(engine.create(by, [{ lifecycle: "code", title: `round ${round} task ${index}` }])),
      count(engine.claim(by, { lifecycle: "code" })),
    ]).flat();
    // The later the call, the further the batches have come.
    for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
    await engine.drain();
    await new Promise(setImmediate);
    expect(answered).toBe(asked.length);
    await sql.end({ timeout: 5 });
    const words = tally((await Promise.all<{ kind: string }>(asked)).map(wordOf));
    expect(words).toEqual({ performed: 100, created: 100, claimed: 100 });
    const [there] = await desk.sql`
      select count(*) filter (where action = 'comment' and comment like ${`round ${round} %`})::int as comments,
        count(*) filter (where action = 'create' and patch ->> 'title' like ${`round ${round} %`})::int as tasks
      from pawl.event`;
    expect(there).toEqual({ comments: 100, tasks: 100 });
  }
  await expectSound(desk);
});

test("a node whose client was ended tells its callers so at once", async () => {
  const sql = connect(desk.url, { maxConnections: 1 });
  const engine = new Engine(sql, PLUGINS);
  await sql.end({ timeout: 5 });
  const told = await engine.claim(by, { lifecycle: "code" }).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(PawlError);
  expect(told).toMatchObject({ code: "UNAVAILABLE" });
});

test("two hundred callers on two connections all get answers", async () => {
  for (let round = 0; round < 5; round++) {
    const answers = await allOf<unknown>(200, (index) => {
      const task_id = pick(notes, index).id;
      if (index % 5 === 0) return desk.engine.claim(by, { lifecycle: "code", limit: 2 });
      if (index % 5 === 1) return desk.engine.find(by, task_id);
      if (index % 5 === 2) return desk.engine.list(by, { limit: 10 });
      if (index % 5 === 3) return desk.engine.create(by, [{ lifecycle: "code", title: "More" }]);
      return desk.engine.perform(by, { task_id, action: "comment", comment: "so" });
    });
    expect(answers.length).toBe(200);
    for (const answer of answers) expect(answer).not.toHaveProperty("code");
  }
  await expectSound(desk);
});

test("callers who find every connection taken are told to come again, and served once one is free", async () => {
  const sql = connect(desk.url, { maxConnections: 2 });
  const engine = new Engine(sql, PLUGINS, { patienceMs: 100 });
  let free: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => (free = resolve));
  const taken = allOf(2, () => sql.begin(() => freed));
  const title = "Told to come again";
  const told = await allOf(20, (index) =>
    (index % 2 === 0
      ? engine.create(by, [{ lifecycle: "code", title }])
      : engine.claim(by, { lifecycle: "code" })
    ).catch((error: unknown) => error),
  );
  for (const one of told) expect(one).toMatchObject({ code: "UNAVAILABLE" });
  free();
  await taken;
  expect(wordOf(await engine.create(by, [{ lifecycle: "code", title }]))).toBe("created");
  // Who was told so was not served behind his back.
  expect((await desk.engine.list(by, { q: title })).tasks.length).toBe(1);
  await sql.end({ timeout: 5 });
});

test("callers of a server that lets nobody in are told so in time", async () => {
  // As a proxy does whose PostgreSQL is away: the driver would try for ever.
  const door = createServer((socket) => socket.on("error", () => undefined).destroy());
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const { port } = door.address() as AddressInfo;
  const sql = connect(`postgres://pawl@127.0.0.1:${port}/pawl`, { maxConnections: 2 });
  const engine = new Engine(sql, PLUGINS, { patienceMs: 100 });
  const told = await allOf(10, () =>
    engine.claim(by, { lifecycle: "code" }).catch((error: unknown) => error),
  );
  for (const one of told) expect(one).toMatchObject({ code: "UNAVAILABLE" });
  await sql.end({ timeout: 0 });
  door.close();
  await once(door, "close");
});
