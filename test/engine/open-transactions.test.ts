import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { fromPg } from "../../src/adapters/pg.ts";
import { until } from "../support/until.ts";
import { cat, openTestEngine } from "./test-engine.ts";

const env = await openTestEngine();
const { searchParams, pathname, username } = new URL(env.url);
const pool = new pg.Pool({
  host: searchParams.get("host") ?? "",
  database: pathname.slice(1),
  user: username,
});
// The database is dropped while the last connections close.
pool.on("error", () => undefined);
afterAll(() => pool.end());

/** Begins a transaction on a connection of the app, and records the commits that the engine announces until the end of the test. */
async function begin() {
  const client = await pool.connect();
  await client.query("begin");
  const announced: { org_id: string; tasks: number }[] = [];
  const unsubscribe = env.engine.commits.onCommitted((org_id, where, arrivals) => {
    if (where === "here")
      announced.push({ org_id, tasks: arrivals.reduce((sum, { tasks }) => sum + tasks, 0) });
  });
  onTestFinished(() => {
    unsubscribe();
    client.release();
  });
  const create = () =>
    env.engine.create(env.by(cat), [{ lifecycle: "code", title: "Write it" }], { tx: fromPg(client) });
  return { client, announced, create };
}

/** Commits another transaction and waits until it is announced. */
async function commitAnother(announced: readonly unknown[]) {
  const other = await begin();
  const before = announced.length;
  await other.create();
  await other.client.query("commit");
  await until(() => announced.length > before);
}

test("the commit of a caller's transaction is announced once, with the tasks that entered pools", async () => {
  const { client, announced, create } = await begin();
  expect(await create()).toMatchObject({ kind: "created" });
  await client.query("savepoint inner_one");
  expect(await create()).toMatchObject({ kind: "created" });
  await client.query("release savepoint inner_one");
  expect(announced).toEqual([]);
  await client.query("commit");
  await until(() => announced.length > 0);
  expect(announced).toEqual([{ org_id: env.by(cat).org_id, tasks: 2 }]);
});

test("a rollback and a transaction that is still open are not announced", async () => {
  const [rolledBack, open] = [await begin(), await begin()];
  await rolledBack.create();
  await rolledBack.client.query("rollback");
  await open.client.query("savepoint before_it");
  await open.create();
  // Releases the org's row, so that others can commit while this transaction stays open.
  await open.client.query("rollback to savepoint before_it");
  await commitAnother(open.announced);
  expect(open.announced).toHaveLength(1);
  await open.client.query("rollback");
});
