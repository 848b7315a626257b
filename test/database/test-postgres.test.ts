import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import {
  startTestPostgres,
  testDatabases,
  type TestDatabases,
  type TestPostgres,
} from "../support/postgres.ts";

let server: TestPostgres;
let databases: TestDatabases;

beforeAll(async () => {
  server = await startTestPostgres();
  databases = testDatabases(server.url);
});

afterAll(async () => {
  await databases.close();
  await server.stop();
});

test("copies of a template have its content and are independent", async () => {
  const template = await databases.createTemplate("with_words", async (sql) => {
    await sql`create table word (word text)`;
    await sql`insert into word values ('from the template')`;
  });
  const [one, two] = await Promise.all([
    databases.createDatabase({ template }),
    databases.createDatabase({ template }),
  ]);
  const sqlOne = connect(one.url);
  const sqlTwo = connect(two.url);
  await sqlOne`delete from word`;
  expect(await sqlOne`select word from word`).toEqual([]);
  expect(await sqlTwo`select word from word`).toEqual([{ word: "from the template" }]);
  await Promise.all([sqlOne.end(), sqlTwo.end()]);
  await one.drop();
  await two.drop();
});

test("concurrent requests for one template fill it once", async () => {
  const others = [testDatabases(server.url), testDatabases(server.url)];
  let filled = 0;
  const fill = async () => {
    filled += 1;
    await Promise.resolve();
  };
  await Promise.all([databases, databases, ...others].map((each) => each.createTemplate("once", fill)));
  expect(filled).toBe(1);
  await Promise.all(others.map((each) => each.close()));
});

test("a template that failed to fill is filled again", async () => {
  await expect(databases.createTemplate("flaky", () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  expect(await databases.createTemplate("flaky", () => Promise.resolve())).toBe("flaky");
});
