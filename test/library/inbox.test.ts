import { expect, onTestFinished, test } from "vitest";
import { openPawl } from "../../src/main/index.ts";
import { connect } from "../../src/postgres/connect.ts";
import { until } from "../support/until.ts";
import { newDatabase, parcel, QUIET } from "./parcel.ts";

const url = await newDatabase();

test("an app without a server binds a SQL role, and its requests become tasks", async () => {
  const pawl = await openPawl({ url, plugins: [parcel], inboxSeconds: 0.05, ...QUIET });
  onTestFinished(() => pawl.close());
  const sql = connect(url, { maxConnections: 1 });
  onTestFinished(() => sql.end());
  await pawl.createMember({ id: "shop", kind: "service", roles: ["worker"] });
  const admin = pawl.client(pawl.asSystem());
  const [{ role } = { role: "" }] = await sql<{ role: string }[]>`select session_user::text as role`;
  expect(await admin.bindSqlRole({ role, member_id: "shop" })).toMatchObject({ role, member_id: "shop" });
  const enqueue = (input: object) =>
    sql`select pawl.enqueue(org => 'main', lifecycle => 'parcel', input => ${sql.json(input as never)})`;
  await enqueue({ title: "From SQL", address: "Main Street 1" });
  await enqueue({ title: "Without an address" });
  await until(async () => (await admin.listInbox({ state: "refused" })).refused === 1);
  expect(await admin.listInbox({})).toMatchObject({ waiting: 0, requests: [{ lifecycle: "parcel" }] });
  const { tasks } = await admin.listTasks({});
  expect(tasks).toMatchObject([{ title: "From SQL", created_by: "shop" }]);
  const shop = pawl.client(await pawl.as("shop"));
  await expect(shop.listInbox({})).rejects.toMatchObject({ code: "FORBIDDEN" });
});
