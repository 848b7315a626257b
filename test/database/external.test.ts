import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PawlError } from "../../src/core/problems.ts";
import { connect } from "../../src/postgres/connect.ts";
import { openDatabase } from "../../src/postgres/open-database.ts";
import {
  startTestPostgres,
  testDatabases,
  type TestDatabases,
  type TestPostgres,
} from "../support/postgres.ts";

let server: TestPostgres;
let databases: TestDatabases;
let url: URL;

beforeAll(async () => {
  server = await startTestPostgres({ transport: "tcp" });
  databases = testDatabases(server.url);
  url = new URL((await databases.createDatabase()).url);
});

afterAll(async () => {
  await databases.close();
  await server.stop();
});

test("an external server is used and not stopped", async () => {
  for (let round = 0; round < 2; round += 1) {
    const database = await openDatabase({ url: url.href });
    expect(database.kind).toBe("external");
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await Promise.all([database.close(), database.close()]);
  }
});

test("parameters of libpq are not sent to the server", async () => {
  const database = await openDatabase({
    url: `${url.href}?channel_binding=prefer&gssencmode=disable&sslmode=disable&application_name=mine`,
  });
  expect(await database.sql`show application_name`).toEqual([{ application_name: "mine" }]);
  await database.close();
});

test("a server older than 15 is refused", async () => {
  const name = (await databases.createDatabase()).name;
  // A function in the search path before PostgreSQL's own makes the server report an old version.
  const admin = connect(at({ pathname: name }), { maxConnections: 1 });
  await admin`create schema old`;
  await admin`create function old.current_setting(text) returns text language sql as $$ select '140012' $$`;
  await admin.end();
  expect(await refusal(`${at({ pathname: name })}?search_path=old,pg_catalog`)).toBe(
    "DATABASE_URL is a PostgreSQL 14, and Pawl needs 15 or newer; upgrade it or use another.",
  );
});

test("the error names a wrong password, user or database, and never shows the password", async () => {
  const { host } = url;
  expect(await refusal(at({ password: "hunter2" }))).toBe(
    `PostgreSQL at ${host} refused the password of pawl; correct it in DATABASE_URL.`,
  );
  expect(await refusal(at({ username: "stranger", password: "hunter2" }))).toBe(
    `PostgreSQL at ${host} refused the password of stranger; correct it in DATABASE_URL.`,
  );
  expect(await refusal(at({ pathname: "nowhere" }))).toBe(
    `PostgreSQL at ${host} has no database "nowhere"; create it or correct DATABASE_URL.`,
  );
});

test("the error names an unreachable server", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  expect(await refusal(at({ port: String(port) }))).toBe(
    `No PostgreSQL answers at 127.0.0.1:${port}; start it or correct DATABASE_URL.`,
  );
  expect(await refusal(`postgres://pawl:hunter2@localhost/pawl?host=/nowhere`)).toBe(
    "No PostgreSQL answers at /nowhere; start it or correct DATABASE_URL.",
  );
  expect(await refusal(at({ hostname: "no-such-host.invalid" }))).toMatch(
    /^The host no-such-host\.invalid:\d+ of DATABASE_URL is unknown; correct its name or check the network\.$/,
  );
});

test("a program that listens but does not speak PostgreSQL's protocol causes a timeout", async () => {
  const other = createServer((socket) =>
    socket.on("error", () => undefined).end("HTTP/1.1 400 Bad Request\r\n\r\n"),
  );
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await refusal(at({ port: String(port) }))).toBe(
    `PostgreSQL at 127.0.0.1:${port} does not answer in time; check the address and the firewall.`,
  );
  other.close();
});

test.each([
  "",
  "mysql://root:hunter2@localhost/x",
  "postgres://pawl:hun%ter2@localhost/x",
  "localhost:5432",
  "postgres://pawl:hunter2@host:port/x",
])("%j is not a valid address", async (address) => {
  expect(await refusal(address)).toBe(
    "DATABASE_URL must be the URL of a PostgreSQL database, like postgres://user:password@host:5432/database.",
  );
});

function at(changes: Partial<Pick<URL, "username" | "password" | "hostname" | "port" | "pathname">>): string {
  return Object.assign(new URL(url), changes).href;
}

async function refusal(address: string): Promise<string> {
  const error = await openDatabase({ url: address, connectTimeoutSeconds: 3 }).then(
    (database) => database.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PawlError);
  expect(error).toMatchObject({ code: "DATABASE_UNUSABLE" });
  const { message } = error as PawlError;
  expect(message).not.toContain("hunter2");
  return message;
}
