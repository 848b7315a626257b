// If rule 10 (an unknown commit is resolved by its client_event_id, and the engine generates one if the caller gave none) is
// broken, commands happen twice here, or tasks are claimed without an answer to the worker.
import { afterAll, expect, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { ann, openTestEngine, performed } from "../test-engine.ts";
import { cuttingProxy, type Fate } from "./cutting-proxy.ts";
import { expectNothingLostOrRepeated, Load } from "./load.ts";
import { expectIntegrity, createTasks } from "./nodes.ts";

const env = await openTestEngine();
const caller = env.by(ann);
let fateOf: (commit: number) => Fate = () => "pass";
const proxy = await cuttingProxy(env.url, (commit) => fateOf(commit));
const sql = connect(proxy.url, { maxConnections: 10 });
const engine = new Engine(sql, PLUGINS, { retryTimeoutMs: WAIT_LIMIT_MS });
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await proxy.close();
});

const CUTS = ["after", "before", "late"] as const;
const ROUNDS = 25;

async function countEvents(): Promise<{ created: number; claims: number }> {
  const [row] = await env.sql<{ created: number; claims: number }[]>`
    select count(*) filter (where action = 'create')::int as created,
      count(*) filter (where action = 'claim')::int as claims
    from pawl.event`;
  return row ?? { created: 0, claims: 0 };
}

test("every third COMMIT is cut off while sixteen callers work: each command happens once", async () => {
  fateOf = (commit) => (commit % 3 === 0 ? (CUTS[(commit / 3) % 3] as Fate) : "pass");
  const load = new Load(engine);
  load.start(16);
  while (proxy.cuts < 400) await load.more(50);
  fateOf = () => "pass";
  await load.stop();
  expect(load.unavailable).toBe(0);
  await expectNothingLostOrRepeated(load, env.sql);
  await expectIntegrity(env);
});

test.each(CUTS)(
  "a command whose COMMIT is cut off (%s) gets its normal answer, and happens once",
  async (fate) => {
    const cutOnce = () => {
      let done = false;
      fateOf = () => (done ? "pass" : ((done = true), fate));
    };
    const before = await countEvents();
    for (let round = 0; round < ROUNDS; round++) {
      cutOnce();
      const created = await engine.create(caller, [
        { lifecycle: "code", title: "First", ref: "first" },
        { lifecycle: "code", title: "Second", blocked_by: ["first"] },
      ]);
      expect(created).toMatchObject({ kind: "created", existing: [false, false], replayed: false });
      const [first] = created.kind === "created" ? created.tasks : [];
      const task_id = first?.id ?? "";

      cutOnce();
      const claimed = performed(await engine.perform(caller, { task_id, action: "claim" }));
      expect(claimed).toMatchObject({ outcome: "moved", replayed: false, task: { row_version: 2 } });
      cutOnce();
      // The token is valid.
      const { lease_token } = claimed;
      const released = performed(await engine.perform(caller, { task_id, action: "release", lease_token }));
      expect(released).toMatchObject({
        event: { action: "release" },
        task: { row_version: 3, status: "ready" },
      });

      const key = round % 2 === 0 ? { client_event_id: `claim ${fate} ${round}` } : {};
      cutOnce();
      const taken = await engine.claim(caller, { lifecycle: "code", limit: 1, ...key });
      expect(taken).toMatchObject({ kind: "claimed", tasks: [{ task: { status: "claimed" } }] });
      const [one] = taken.kind === "claimed" ? taken.tasks : [];
      const [lease] = await env.sql`select token::text from pawl.lease where task_id = ${one?.task.id ?? ""}`;
      expect(one?.lease_token).toBe(lease?.token);
    }
    // Two tasks and two claims per round: nothing happens twice, and every claim was answered.
    const after = await countEvents();
    expect({ created: after.created - before.created, claims: after.claims - before.claims }).toEqual({
      created: 2 * ROUNDS,
      claims: 2 * ROUNDS,
    });
    await expectIntegrity(env);
  },
);

test("a creation with one existing task gets its normal answer when its COMMIT is cut off", async () => {
  const job = (nonce: string) => ({
    lifecycle: "delivery",
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: nonce,
  });
  const bot = { ...ann, roles: ["agent", "admin"] };
  const [before] = await createTasks(env, bot, [job("there")]);
  let done = false;
  fateOf = () => (done ? "pass" : ((done = true), "after"));
  const created = await engine.create(env.by(bot), [
    job("there"),
    job("new"),
    { lifecycle: "board", title: "Beside them", description: "-" },
  ]);
  expect(created).toMatchObject({
    kind: "created",
    existing: [true, false, false],
    tasks: [{ id: before?.id }, {}, {}],
  });
});
