import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/core/index.ts";
import { connect } from "../../src/postgres/connect.ts";
import { outcomeOf } from "../http/test-server.ts";
import { scratchData, startPawl } from "../http/running-pawl.ts";
import type { RunningPawl } from "../http/running-pawl.ts";
import { testDatabases } from "../support/postgres.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { ADMIN, fillBaseline, readWorld } from "./baseline-world.ts";
import { baselineVersion, currentVersion, migrationTexts, nextVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

type Cleanup = (work: () => Promise<void>) => void;
const BASELINE = await baselineVersion();
const CURRENT = currentVersion();
const NEXT = await nextVersion();

// One database is filled by the old version; every test upgrades a copy of it.
const original = await databases.createDatabase();
const old = await start(BASELINE, original);
const world = await fillBaseline(old);
const before = await readWorld(old, world);
await old.stop();
afterAll(() => original.drop());

test("the migrations of the baseline are unchanged", async () => {
  const texts = await migrationTexts(BASELINE);
  expect(Object.keys(texts)).not.toEqual([]);
  expect(await migrationTexts(CURRENT)).toMatchObject(texts);
});

describe.each([
  ["the current version", CURRENT],
  ["a version with more migrations", NEXT],
])("an upgrade to %s", async (_, version) => {
  const database = await copyOfOriginal();
  const applied = await appliedTo(database);
  const pawl = await start(version, database, {
    env: { PAWL_SWEEP_SECONDS: "0.2", BOT_ACTION_WATCHDOG_INTERVAL_MINUTES: "0.01" },
  });
  const ask = async (token: string, what: string, body?: JsonObject) => {
    const { status, body: reply, text } = await pawl.ask(what, token, body);
    expect(status, `${what}: ${text}`).toBeLessThan(300);
    return reply;
  };
  const statusOf = async (id: string) => (await ask(ADMIN, `GET /api/tasks/${id}`)).status;
  const { tokens } = world;

  test("runs the migrations that the baseline does not have", async () => {
    const pending = (await migrationNames(version)).filter((name) => !applied.includes(name));
    expect(applied).toEqual(await migrationNames(BASELINE));
    expect(await appliedTo(database)).toEqual([...applied, ...pending].sort());
    expect(pending.length).toBeGreaterThanOrEqual(version === NEXT ? 3 : 0);
  });

  test("changes no data that can be read", async () => {
    const after = await readWorld(pawl, world);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after).toMatchObject(before);
    expect(await verify(version, database)).toEqual({ ok: true, tasks: tasksBefore() });
  });

  test("keeps all tokens valid, and revoked ones revoked", async () => {
    for (const [name, token] of Object.entries(tokens))
      expect(await ask(token, "GET /api/me")).toMatchObject({ id: name === "bot" ? "delivery-bot" : name });
    for (const token of world.refused)
      expect(outcomeOf(await pawl.ask("GET /api/me", token))).toMatch(
        /^401 (INVALID_TOKEN|MEMBER_INACTIVE)$/,
      );
  });

  test("answers a repeated request with its first answer", async () => {
    expect(world.sent.length).toBeGreaterThan(30);
    for (const { what, token, body, answer } of world.sent) {
      const again = await pawl.ask(what, token, body);
      expect(again.headers.get("idempotent-replayed"), what).toBe("true");
      expect(again, what).toMatchObject({ status: answer.status, body: answer.body });
    }
    expect(await readWorld(pawl, world)).toMatchObject(before);
  });

  test("lets workers finish the tasks they hold", async () => {
    const { running, waiting } = world.code;
    const { streaming } = world.delivery;
    const leases = [running, streaming].map(({ id, lease_token }) => ({ task_id: id, lease_token }));
    expect(await ask(tokens.wim, "POST /api/heartbeats", { leases })).toMatchObject({ lost: [] });
    expect(await statusOf(waiting)).toBe("blocked");
    await ask(tokens.wim, `POST /api/code/tasks/${running.id}/transitions`, {
      action: "complete",
      lease_token: running.lease_token,
      payload: { commit: "abc123" },
    });
    await ask(tokens.wim, `POST /api/delivery/jobs/${streaming.id}/transitions`, {
      action: "deliver",
      lease_token: streaming.lease_token,
      payload: { message_id: 1, telegram_file_id: "f" },
    });
    expect(await statusOf(running.id)).toBe("completed");
    expect(await statusOf(waiting)).toBe("ready");
    expect(await statusOf(streaming.id)).toBe("DELIVERED");
  });

  test("lets tasks continue that waited for others or were on hold", async () => {
    const { board, planner } = world;
    const boardTask = (id: string) => ask(tokens.ann, `GET /api/board/tasks/${id}`);
    expect(await boardTask(board.waiting)).toMatchObject({ task: { has_unresolved_blockers: true } });
    await ask(tokens.ann, `POST /api/board/tasks/${board.blocker}/transitions`, {
      action: "complete",
      comment: "because",
    });
    expect(await boardTask(board.waiting)).toMatchObject({ task: { has_unresolved_blockers: false } });

    expect(await statusOf(planner.waiting)).toBe("blocked");
    const { row_version } = await ask(tokens.lea, `GET /api/planner/tasks/${planner.blocker}`);
    await ask(tokens.lea, `POST /api/planner/tasks/${planner.blocker}/transitions`, {
      action: "review_approve",
      expected_row_version: row_version as number,
      client_event_id: "approved",
    });
    expect(await statusOf(planner.waiting)).toBe("available");
    const { held, hold_id } = planner;
    const recall = async () => {
      const { row_version: expected_row_version } = await ask(tokens.lea, `GET /api/planner/tasks/${held}`);
      const payload = { reason: "wait" };
      const body = { action: "recall_to_pool", payload, expected_row_version, client_event_id: randomUUID() };
      return outcomeOf(await pawl.ask(`POST /api/planner/tasks/${held}/transitions`, tokens.lea, body));
    };
    expect(await recall()).toBe("409 OPEN_HOLDS");
    const hold = `/api/planner/tasks/${held}/holds/${hold_id}`;
    const released = await pawl.ask(`DELETE ${hold}`, tokens.lea, undefined, {
      "idempotency-key": "released",
    });
    expect(released.status, released.text).toBe(200);
    expect(await recall()).toBe("200");
  });

  test("acts on timers that the old version set", async () => {
    const { timed } = world.board;
    const { scheduled } = world.delivery;
    expect(await statusOf(timed)).toBe("NEW");
    await withSql(
      database,
      (sql) => sql`
        update pawl.task set due_at = now() - interval '1 minute'
        where id = ${timed} or lifecycle = 'bot-actions' and not final`,
    );
    await expect.poll(() => statusOf(timed)).toBe("STUCK");
    const failed = () => ask(tokens.ann, "GET /api/chat/actions?chatId=c1&status=error");
    const { actionId } = world.botAction;
    await expect.poll(failed).toMatchObject({ actions: [{ actionId }] });
    const claim = () => ask(tokens.wim, "POST /api/claims", { lifecycle: "delivery" });
    await expect.poll(claim).toMatchObject({ tasks: [{ id: scheduled }] });
  });

  test("accepts new tasks of every lifecycle, and the journals are intact", async () => {
    const callback = { workspaceId: "main", chatId: "c1", actionId: "new", actionType: "summarize" };
    await ask(world.callbackToken, "POST /api/no-code/callback/actions/start", callback);
    await ask(tokens.ann, "POST /api/board/tasks", { title: "New one", description: "All of it" });
    await ask(tokens.lea, "POST /api/code/tasks", { title: "New one" });
    await ask(tokens.lea, "POST /api/planner/tasks", { title: "New one", client_event_id: "new" });
    expect(await verify(version, database)).toEqual({ ok: true, tasks: tasksBefore() + 4 });
  });
});

test("an old node keeps working while a new one migrates, and prints what to do when it is restarted", async () => {
  const until = onTestFinished;
  const database = await copyOfOriginal(until);
  const [stays, { tokens }] = [await start(BASELINE, database, { until }), world];
  const cycle = async (from: RunningPawl, to: RunningPawl) => {
    const created = await from.ask("POST /api/code/tasks", tokens.lea, { title: "Mend it", priority: 5 });
    expect(created.status, created.text).toBe(201);
    const taken = await to.ask("POST /api/code/claims", tokens.wim, {});
    expect(taken.body, taken.text).toMatchObject({ tasks: [{ id: created.body.id }] });
    const [{ lease_token }] = taken.body.tasks as [{ lease_token: string }];
    for (const [node, action, payload] of [
      [from, "start", { worktree: "/w", branch: "b" }],
      [to, "complete", { commit: "abc123" }],
    ] as const) {
      const path = `/api/code/tasks/${String(created.body.id)}/transitions`;
      const moved = await node.ask(`POST ${path}`, tokens.wim, { action, lease_token, payload });
      expect(moved.status, moved.text).toBe(200);
    }
  };
  // The old node has prepared its statements before the schema changes.
  await cycle(stays, stays);
  const next = await start(NEXT, database, { until });
  await cycle(stays, next);
  await cycle(next, stays);
  const seen = await readWorld(stays, world);
  expect(await readWorld(next, world)).toMatchObject(seen);
  expect(await verify(NEXT, database)).toMatchObject({ ok: true });

  const line =
    /The database is at migration [\w-]+\/\d+-[\w-]+, which this version of Pawl does not know; run a newer Pawl/;
  await expect(start(BASELINE, database, { until })).rejects.toThrow(line);
});

async function copyOfOriginal(until: Cleanup = afterAll): Promise<TestDatabase> {
  const database = await databases.createDatabase({ template: original.name });
  until(() => database.drop());
  return database;
}

/** Starts a server whose background work does nothing unless asked for. */
async function start(
  { program, cwd }: Version,
  { url }: TestDatabase,
  { env = {}, until = afterAll }: { env?: Record<string, string>; until?: Cleanup } = {},
) {
  const quiet = { PAWL_SWEEP_SECONDS: "0", PAWL_RECONCILE_SECONDS: "0" };
  return startPawl(["--data", await scratchData({ until }), "--port", "0"], {
    program: [...program, "start"],
    cwd,
    env: { DATABASE_URL: url, PAWL_ADMIN_TOKEN: ADMIN, ...quiet, ...env },
    until,
  });
}

/** Runs `pawl verify`. */
async function verify({ program, cwd }: Version, { url }: TestDatabase) {
  const stdout = await new Promise<string>((resolve, reject) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: url };
    execFile(process.execPath, [...program, "verify", "--json"], { cwd, env }, (error, out, complaint) => {
      if (out === "") reject(new Error(complaint, { cause: error }));
      else resolve(out);
    });
  });
  const { ok, orgs } = JSON.parse(stdout) as { ok: boolean; orgs: { tasks: number }[] };
  return { ok, tasks: orgs.reduce((sum, { tasks }) => sum + tasks, 0) };
}

function tasksBefore(): number {
  return (before["/api/tasks?limit=200"]?.tasks as unknown[]).length;
}

/** Names as in `pawl.migration`; the migrations of the project's own plugin are `parcel`'s. */
async function migrationNames(version: Version): Promise<string[]> {
  const names = Object.keys(await migrationTexts(version)).map((file) =>
    file
      .replace(/^engine\/migrations\//, "pawl/")
      .replace(/^lifecycles\/([^/]+)\/migrations\//, "$1/")
      .replace(/\.sql$/, ""),
  );
  return [...names, ...(version === NEXT ? ["parcel/0001-next"] : [])].sort();
}

async function appliedTo(database: TestDatabase): Promise<string[]> {
  const rows = await withSql(database, (sql) => sql<{ name: string }[]>`select name from pawl.migration`);
  return rows.map(({ name }) => name).sort();
}

async function withSql<T>({ url }: TestDatabase, work: (sql: ReturnType<typeof connect>) => Promise<T>) {
  const sql = connect(url, { maxConnections: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
