import { stat, readFile, readdir } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { connect as connectSocket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, vi } from "vitest";
import { connect, type Sql } from "../../src/postgres/connect.ts";
import { serverOf, test } from "./scratch.ts";

describe("starting", () => {
  test("the first start prepares the cluster, a later one only starts it, and data survives", async ({
    scratch,
  }) => {
    const data = scratch.data();
    const progress: string[] = [];
    const onProgress = (message: string) => progress.push(message);
    const first = await scratch.open({ data, onProgress });
    expect(first.kind).toBe("embedded");
    const cluster = await clusterOf(first.sql);
    await first.sql`create table kept (word text)`;
    await first.sql`insert into kept values ('bewährt')`;
    await first.close();

    for (let start = 0; start < 3; start += 1) {
      const later = await scratch.open({ data, onProgress });
      expect(await clusterOf(later.sql)).toBe(cluster);
      expect(await later.sql`select word from kept`).toEqual([{ word: "bewährt" }]);
      await later.close();
    }
    expect(progress).toEqual([
      `Preparing PostgreSQL in ${data} (first start)`,
      ...Array.from({ length: 3 }, () => `Starting PostgreSQL in ${data}`),
    ]);
    // A server that was closed cleanly starts without crash recovery.
    const log = await readFile(join(data, "postgres", "server.log"), "utf8");
    expect(log.match(/database system was shut down at/g)).toHaveLength(4);
    expect(log).not.toMatch(/was not properly shut down|was interrupted/);
  });

  test("a first start that takes longer than the start timeout still succeeds", async ({ scratch }) => {
    const data = scratch.data();
    const clock = vi.spyOn(Date, "now");
    onTestFinished(() => {
      clock.mockRestore();
    });
    // Advance the clock by ten minutes, as if initdb had taken that long.
    const onProgress = () => {
      clock.mockImplementation(() => performance.timeOrigin + performance.now() + 600_000);
    };
    const database = await scratch.open({ data, onProgress });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
  });

  test("closing stops the server, removes the socket folder, and may be repeated", async ({ scratch }) => {
    const data = await scratch.preparedData();
    const database = await scratch.open({ data });
    const socketFolder = socketFolderOf(database.url);
    expect(await serverOf(data)).toBeTypeOf("number");
    await Promise.all([database.close(), database.close()]);
    await database.close();
    expect(await serverOf(data)).toBeUndefined();
    await expect(stat(socketFolder)).rejects.toThrow("ENOENT");
    expect(await readdir(data)).toEqual(["postgres"]);
  });

  test("commits are synced to disk, and the encoding and collation do not depend on the machine", async ({
    scratch,
  }) => {
    const database = await scratch.open({ data: await scratch.preparedData() });
    const settings = await database.sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'server_encoding', 'jit', 'TimeZone')`;
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      data_checksums: "on",
      server_encoding: "UTF8",
      jit: "off",
      TimeZone: "UTC",
    });
    expect(await database.sql`select lower('ÄÖЖ') as folded, 'Éa' ~ '^[[:alpha:]]+$' as known`).toEqual([
      { folded: "äöж", known: true },
    ]);
    await database.close();
  });

  test("fsync can be switched off for data that may be lost", async ({ scratch }) => {
    const database = await scratch.open({ data: await scratch.preparedData(), fsync: false });
    expect(await database.sql`show fsync`).toEqual([{ fsync: "off" }]);
    await database.close();
  });

  test("a data folder with a very long path works, since the socket is elsewhere", async ({ scratch }) => {
    const data = join(scratch.data("long"), "x".repeat(100), 'ein "Ordner", mit Ümlaut');
    const database = await scratch.open({ data });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
  });
});

describe("access", () => {
  test("with a socket nothing listens on the network and only the owner can enter its folder", async ({
    scratch,
  }) => {
    const database = await scratch.open({ data: await scratch.preparedData() });
    expect(await database.sql`show listen_addresses`).toEqual([{ listen_addresses: "" }]);
    const folder = await stat(socketFolderOf(database.url));
    expect((folder.mode & 0o777).toString(8)).toBe("700");
    expect(folder.uid).toBe(process.getuid?.());
    await database.close();
  });

  test("with a port only this machine can connect, and only with the password from a private file", async ({
    scratch,
  }) => {
    const data = await scratch.preparedData();
    const database = await scratch.open({ data, transport: "tcp" });
    const url = new URL(database.url);
    expect(await database.sql`show listen_addresses`).toEqual([{ listen_addresses: "127.0.0.1" }]);
    expect(url.hostname).toBe("127.0.0.1");

    const file = join(data, "postgres", "password");
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");
    expect(decodeURIComponent(url.password)).toBe(await readFile(file, "utf8"));
    const stranger = connect(database.url.replace(/:[^:@/]+@/, ":guess@"));
    await expect(stranger`select 1`).rejects.toMatchObject({ code: "28P01" });
    await stranger.end();

    for (const address of foreignAddresses()) {
      const socket = connectSocket(Number(url.port), address);
      const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
      expect(error.code).toBe("ECONNREFUSED");
    }
    await database.close();
  });

  test("other processes connect with the URL, over a socket and over a port", async ({ scratch }) => {
    for (const transport of ["socket", "tcp"] as const) {
      const embedded = await scratch.open({ data: scratch.data(), transport });
      const other = await scratch.open({ url: embedded.url, maxConnections: 2, prepare: false });
      expect(other.kind).toBe("external");
      expect(await other.sql`select current_database() as name`).toEqual([{ name: "pawl" }]);
      await other.close();
      await embedded.close();
    }
  });
});

/** Returns the identifier that initdb gave the cluster. */
async function clusterOf(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`;
  return row?.id;
}

function socketFolderOf(url: string): string {
  return new URL(url).searchParams.get("host") ?? "";
}

function foreignAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}
