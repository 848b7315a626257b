import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { openDatabase } from "../../src/postgres/open-database.ts";
import { serverOf, test, type DatabaseProcess } from "./scratch.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

test("a process killed while it writes loses no acknowledged row, and the next one uses the same server", async ({
  scratch,
}) => {
  const data = await scratch.preparedData();
  const writer = await scratch.startProcess("write", { data });
  await writer.waitForLine("wrote 200");
  const server = await serverOf(data);
  await writer.kill();

  const database = await scratch.open({ data });
  expect(await serverOf(data)).toBe(server);
  expect(await missingRows(writer, database.sql)).toEqual([]);
  await database.close();
  expect(await serverOf(data)).toBeUndefined();
});

test("a process and its server killed while they write lose no acknowledged row", async ({ scratch }) => {
  const data = await scratch.preparedData();
  for (let round = 1; round <= 3; round += 1) {
    const writer = await scratch.startProcess("write", { data });
    await writer.waitForLine("wrote");
    for (let more = 0; more < 100; more += 1) await once(writer.child.stdout!, "data");
    const server = Number(await serverOf(data));
    process.kill(server, "SIGKILL");
    await writer.kill();

    const database = await scratch.open({ data });
    expect(await serverOf(data)).not.toBe(server);
    expect(await missingRows(writer, database.sql)).toEqual([]);
    await database.close();
  }
});

test("killing one process does not affect another on the same server", async ({ scratch }) => {
  const data = await scratch.preparedData();
  const writer = await scratch.startProcess("write", { data });
  await writer.waitForLine("wrote 10");
  const database = await scratch.open({ data });
  await writer.kill();
  expect(await missingRows(writer, database.sql)).toEqual([]);
  await database.close();
  // A dead process holds no lock, so the last living one stops the server.
  expect(await serverOf(data)).toBeUndefined();
});

test("a killed first start leaves no partial cluster, and the next start cleans up", async ({ scratch }) => {
  const data = scratch.data();
  const opener = await scratch.startProcess("stay", { data });
  await opener.waitForLine("progress Preparing");
  await vi.waitUntil(async () => (await readdir(data)).some((name) => name.startsWith("postgres.making-")), {
    timeout: WAIT_LIMIT_MS,
    interval: 5,
  });
  await opener.kill();
  expect(existsSync(join(data, "postgres"))).toBe(false);

  const database = await scratch.open({ data });
  await database.close();
  expect(await readdir(data)).toEqual(["postgres"]);
});

test.runIf(process.platform === "linux")(
  "a lock file with the process id of another program does not prevent the start",
  async ({ scratch }) => {
    const data = await scratch.preparedData();
    await crash(data);
    const bystander = spawn("sleep", ["60"], { cwd: "/" });
    scratch.onCleanUp(async () => {
      bystander.kill();
      await once(bystander, "close");
    });
    const lock = join(data, "postgres", "cluster", "postmaster.pid");
    const [, ...rest] = (await readFile(lock, "utf8")).split("\n");
    await writeFile(lock, [String(bystander.pid), ...rest].join("\n"));
    // The socket has its own lock file.
    const socketFolder = String(rest[3]);
    await mkdir(socketFolder, { recursive: true, mode: 0o700 });
    await writeFile(join(socketFolder, ".s.PGSQL.5432.lock"), `${bystander.pid}\n`);

    const database = await scratch.open({ data });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
    expect(bystander.exitCode).toBeNull();
  },
);

/** Leaves a data folder in the state after a power failure. */
async function crash(data: string): Promise<void> {
  const database = await openDatabase({ data });
  const server = Number(await serverOf(data));
  process.kill(server, "SIGKILL");
  // The server may have been restarted before the close; then the close stops it.
  await database.close();
  const lock = join(data, "postgres", "cluster", "postmaster.pid");
  if (!existsSync(lock))
    await writeFile(lock, `${server}\n${join(data, "postgres", "cluster")}\n1\n5432\n\n\n\nready\n`);
}

async function missingRows(
  writer: DatabaseProcess,
  sql: Awaited<ReturnType<typeof openDatabase>>["sql"],
): Promise<string[]> {
  const acknowledged = writer.lines.filter((line) => line.startsWith("wrote ")).map((line) => line.slice(6));
  expect(acknowledged.length).toBeGreaterThan(0);
  const rows = await sql<{ id: string }[]>`select id from written`;
  const stored = new Set(rows.map(({ id }) => id));
  return acknowledged.filter((id) => !stored.has(id));
}
