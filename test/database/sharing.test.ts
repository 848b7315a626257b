import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, vi } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { readPostmaster } from "../../src/postgres/postmaster.ts";
import { serverOf, test } from "./scratch.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

test.for(["first", "second"])(
  "two processes share one server, and the other keeps working when the %s leaves",
  async (leaver, { scratch }) => {
    const data = await scratch.preparedData();
    const first = await scratch.startProcess("stay", { data });
    await first.waitForLine("open");
    const server = await serverOf(data);
    const second = await scratch.startProcess("stay", { data });
    await second.waitForLine("open");
    expect(await serverOf(data)).toBe(server);
    expect(second.lines.filter((line) => line.startsWith("progress"))).toEqual([]);

    const [leaving, staying] = leaver === "first" ? [first, second] : [second, first];
    await leaving.leave();
    expect(await serverOf(data)).toBe(server);
    // The process queries the database once more before it closes.
    await staying.leave();
    expect(await staying.ended).toBe(0);
    expect(await serverOf(data)).toBeUndefined();
  },
);

test("one process may open the same data folder twice, and the last close stops the server", async ({
  scratch,
}) => {
  const data = scratch.data();
  const [one, two] = await Promise.all([scratch.open({ data }), scratch.open({ data })]);
  expect(one.url).toBe(two.url);
  await one.close();
  expect(await two.sql`select 1 as one`).toEqual([{ one: 1 }]);
  await two.close();
  expect(await serverOf(data)).toBeUndefined();
});

test("six processes that open and close concurrently, from the first start, never fail", async ({
  scratch,
}) => {
  const data = scratch.data();
  const processes = await Promise.all(
    Array.from({ length: 6 }, () => scratch.startProcess("rounds", { data })),
  );
  for (const opener of processes) {
    expect(await opener.ended, opener.lines.join("\n")).toBe(0);
    expect(opener.lines.filter((line) => line.startsWith("round"))).toHaveLength(5);
  }
  expect(await serverOf(data)).toBeUndefined();
});

test("opening while the last process closes always finds or starts a server", async ({ scratch }) => {
  const data = await scratch.preparedData();
  let current = await scratch.open({ data });
  for (let round = 0; round < 25; round += 1) {
    const closing = current.close();
    // Opens at a later moment of the close in each round.
    await pause(round);
    current = await scratch.open({ data });
    expect(await current.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await closing;
  }
  await current.close();
});

test("a process that asks for a socket joins a server on a port", async ({ scratch }) => {
  const data = await scratch.preparedData();
  const one = await scratch.open({ data, transport: "tcp" });
  const two = await scratch.open({ data });
  expect(two.url).toBe(one.url);
  await one.close();
  await two.close();
});

test("Ctrl-C reaches the process but not its server, so that the process can finish its work", async ({
  scratch,
}) => {
  const data = await scratch.preparedData();
  const opener = await scratch.startProcess("stay", { data });
  await opener.waitForLine("open");
  const server = await serverOf(data);
  expect(await sessionOf(server)).toBe(server);
  opener.child.kill("SIGINT");
  await opener.waitForLine("closed");
  expect(await opener.ended).toBe(0);
  expect(await serverOf(data)).toBeUndefined();
});

test("a lost presence lock is acquired again, so that a process that leaves does not stop the server", async ({
  scratch,
}) => {
  const data = await scratch.preparedData();
  const one = await scratch.open({ data });
  await one.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl presence'`;
  await waitForPresences(one.url, 1);
  const two = await scratch.open({ data });
  await two.close();
  expect(await one.sql`select 1 as one`).toEqual([{ one: 1 }]);
  await one.close();
  expect(await serverOf(data)).toBeUndefined();
});

test.for(["socket", "tcp"] as const)(
  "a server that stops while a database is open is started again at the same %s",
  async (transport, { scratch }) => {
    const data = await scratch.preparedData();
    const database = await scratch.open({ data, transport });
    await database.sql`create table kept ()`;
    const server = await serverOf(data);
    process.kill(Number(server), "SIGINT");
    await waitForPresences(database.url, 1, server);
    expect(await serverOf(data)).not.toBe(server);
    expect(await database.sql`select count(*)::int from kept`).toEqual([{ count: 0 }]);
    await database.close();
    expect(await serverOf(data)).toBeUndefined();
  },
);

test("closing works when the server has just crashed, and leaves no server running", async ({ scratch }) => {
  const data = await scratch.preparedData();
  for (let round = 0; round < 5; round += 1) {
    const database = await scratch.open({ data });
    process.kill(Number(await serverOf(data)), "SIGQUIT");
    await database.close();
    expect(await serverOf(data)).toBeUndefined();
  }
});

test("a cluster that is moved away while a database is open is not replaced by an empty one", async ({
  scratch,
}) => {
  const data = await scratch.preparedData();
  const database = await scratch.open({ data });
  const moved = join(scratch.folder, "moved");
  await rename(join(data, "postgres"), moved);
  process.kill(Number((await readPostmaster(join(moved, "cluster")))?.pid), "SIGINT");
  await vi.waitUntil(async () => !(await readPostmaster(join(moved, "cluster"))), { timeout: WAIT_LIMIT_MS });
  await expect(database.sql`select 1`).rejects.toThrow();
  await database.close();
  expect(await readdir(data)).toEqual([]);
});

/** Waits until `wanted` processes hold the presence lock, on another server than `before`. */
async function waitForPresences(url: string, wanted: number, before?: number): Promise<void> {
  await vi.waitUntil(
    async () => {
      const sql = connect(url, { maxConnections: 1 });
      const found = await sql<{ count: number; lock: string }[]>`
        select count(*)::int, pg_read_file('postmaster.pid', 0, 10) as lock
        from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted`.catch(() => []);
      await sql.end({ timeout: 0 });
      return found[0]?.count === wanted && Number.parseInt(found[0].lock, 10) !== before;
    },
    { timeout: WAIT_LIMIT_MS, interval: 10 },
  );
}

async function sessionOf(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "sid=", "-p", String(pid)]);
  return Number(stdout);
}
