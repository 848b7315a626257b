// Fails behind PgBouncer if rule 10 (no session state in the hot path) is broken.
import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/postgres/open-database.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { createOrg } from "../../../src/engine/directory/members.ts";
import { migrate } from "../../../src/engine/upkeep/migrate.ts";
import { registerLifecycles } from "../../../src/engine/upkeep/register-lifecycles.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { migrationSources } from "../../../src/main/plugins.ts";
import { member } from "../../support/situation.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { ann, bob, performed } from "../test-engine.ts";
import { startPgBouncer, startPostgres15, whyNotDebian, type Server } from "./debian-servers.ts";
import { expectNothingLostOrRepeated, Load } from "./load.ts";
import { inParallel, expectIntegrity, pick, tally, outcomeOf } from "./nodes.ts";

const reason = await whyNotDebian();
if (reason !== null) console.warn(`Skipped: ${reason}.`);

const caller = { org_id: "main", actor: ann };
const bot = { org_id: "main", actor: member("bot", ["agent", "admin"], { kind: "service" }) };

async function openSuite(server: Server, database: string, prepare: boolean) {
  const url = server.url.replace("/postgres?", `/${database}?`);
  const opened = await openDatabase({ url, prepare });
  const { sql } = opened;
  afterAll(() => opened.close());
  await migrate(sql, { sources: migrationSources(PLUGINS) });
  await registerLifecycles(sql, PLUGINS);
  await createOrg(sql, "main");
  // PgBouncer waits 15 seconds before its next login when a backend is terminated during one.
  const options = { retryTimeoutMs: WAIT_LIMIT_MS };
  const nodes = [new Engine(sql, PLUGINS, options), new Engine(sql, PLUGINS, options)];
  return { sql, nodes, engine: pick(nodes, 0) };
}

describe.skipIf(reason !== null)("on Debian's packages", async () => {
  if (reason !== null) return;
  const postgres = await startPostgres15();
  const pgbouncer = await startPgBouncer(postgres.folder);
  afterAll(async () => {
    await pgbouncer.stop();
    await postgres.stop();
  });
  const admin = await openDatabase({ url: postgres.url });
  await admin.sql`create database direct`;
  await admin.sql`create database pooled`;
  await admin.close();
  const suites = {
    "PostgreSQL 15": await openSuite(postgres, "direct", true),
    "PgBouncer in transaction mode": await openSuite(pgbouncer, "pooled", false),
  };

  describe.each(Object.entries(suites))("%s", (name, { sql, nodes, engine }) => {
    test("the server has the expected version", async () => {
      const [row] = await sql<{ version: string }[]>`select current_setting('server_version_num') as version`;
      expect(row?.version).toMatch(/^15/);
    });

    // Runs first, while the tables contain only the work of these callers.
    test("no work is lost when the backends of callers are terminated", async () => {
      const killer = await openDatabase({ url: postgres.url, applicationName: "killer" });
      const database = name === "PostgreSQL 15" ? "direct" : "pooled";
      const load = new Load(engine);
      load.start(16);
      for (let round = 0; round < 20; round++) {
        await load.more(20);
        await killer.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
      }
      await load.stop();
      await killer.close();
      expect(load.unavailable).toBe(0);
      await expectNothingLostOrRepeated(load, sql);
      await expectIntegrity({ engine, sql });
    });

    test("tasks are created, claimed by one of ten callers, and verified", async () => {
      for (let round = 0; round < 20; round++) {
        const created = await engine.create(caller, [
          { lifecycle: "board", title: `Round ${round} of`, description: "-" },
        ]);
        const task_id = created.kind === "created" ? (created.tasks[0]?.id ?? "") : created.code;
        const answers = await inParallel(10, (index) =>
          pick(nodes, index).perform(caller, { task_id, action: "claim", comment: "mine" }),
        );
        expect(tally(answers.map(outcomeOf))).toEqual({ performed: 1, TASK_ALREADY_CLAIMED: 9 });
      }
      await expectIntegrity({ engine, sql });
    });

    test("one client_event_id sent by ten callers is one change, for perform, create and claim", async () => {
      const notes = await engine.create(caller, [{ lifecycle: "board", title: "A note", description: "-" }]);
      const task_id = notes.kind === "created" ? (notes.tasks[0]?.id ?? "") : notes.code;
      const free = Array.from({ length: 100 }, (_, index) => ({
        lifecycle: "code",
        title: `Free ${index}`,
        priority: 1_000,
      }));
      await engine.create(caller, free);
      for (let round = 0; round < 10; round++) {
        const client_event_id = `${name} ${round}`;
        const comments = await inParallel(10, (index) =>
          pick(nodes, index).perform(caller, {
            task_id,
            action: "comment",
            comment: "so",
            client_event_id: `comments ${client_event_id}`,
          }),
        );
        expect(tally(comments.map(outcomeOf))).toEqual({ performed: 1, replayed: 9 });
        const created = await inParallel(10, (index) =>
          pick(nodes, index).create(caller, [{ lifecycle: "code", title: "Once" }], {
            client_event_id: `created ${client_event_id}`,
          }),
        );
        expect(tally(created.map(outcomeOf))).toEqual({ created: 1, replayed: 9 });
        const taken = await inParallel(10, (index) =>
          pick(nodes, index).claim(caller, {
            lifecycle: "code",
            limit: 2,
            client_event_id: `taken ${client_event_id}`,
          }),
        );
        expect(tally(taken.map(outcomeOf))).toEqual({ claimed: 1, replayed: 9 });
      }
      await expectIntegrity({ engine, sql });
    });

    test("a finished blocker releases its dependents", async () => {
      const created = await engine.create(caller, [
        { lifecycle: "code", title: "First", ref: "first", priority: 1_000_000 },
        { lifecycle: "code", title: "Second", blocked_by: ["first"] },
      ]);
      const [first, second] = created.kind === "created" ? created.tasks : [];
      expect(second).toMatchObject({ status: "blocked", open_blockers: 1 });
      const taken = await engine.claim(caller, { lifecycle: "code" });
      const [mine] = taken.kind === "claimed" ? taken.tasks : [];
      expect(mine?.task.id).toBe(first?.id);
      const lease = { task_id: first?.id ?? "", lease_token: mine?.lease_token ?? "" };
      expect((await engine.heartbeat(caller, [lease])).lost).toEqual([]);
      const payload = { worktree: "/w", branch: "b" };
      performed(await engine.perform(caller, { ...lease, action: "start", payload }));
      performed(await engine.perform(caller, { ...lease, action: "complete", payload: { commit: "c" } }));
      expect(await engine.find(caller, second?.id ?? "")).toMatchObject({
        status: "ready",
        open_blockers: 0,
      });
    });

    test("an expired lease is released, and its old token is refused", async () => {
      const created = await engine.create(bot, [
        { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "1" },
      ]);
      const task_id = created.kind === "created" ? (created.tasks[0]?.id ?? "") : created.code;
      const { lease_token } = performed(await engine.perform(caller, { task_id, action: "claim" }));
      const swept = await engine.sweep({ now: Date.now() + 120_000 });
      expect(swept.moved).toBeGreaterThan(0);
      performed(await engine.perform({ ...caller, actor: bob }, { task_id, action: "claim" }));
      const late = await engine.perform(caller, { task_id, action: "release", lease_token });
      expect(outcomeOf(late)).toBe("LEASE_LOST");
      await expectIntegrity({ engine, sql });
    });
  });
});
