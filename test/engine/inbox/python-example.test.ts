import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { socketUrl } from "../../../src/postgres/connect.ts";
import { until } from "../../support/until.ts";
import { ROOT } from "../../support/built-pawl.ts";
import { installDebianPackages } from "../../support/debian-packages.ts";
import { openInboxWorld } from "./inbox-world.ts";
import { board } from "../../../src/lifecycles/board/index.ts";
import { openPawl } from "../../../src/main/index.ts";

const run = promisify(execFile);
const PYTHON = "/usr/bin/python3";

/** Returns why the example cannot run here, or null. */
async function whyNotPython(): Promise<string | null> {
  const hasDriver = () =>
    run(PYTHON, ["-c", "import psycopg"]).then(
      () => true,
      () => false,
    );
  if (existsSync(PYTHON) && (await hasDriver())) return null;
  return installDebianPackages(["python3-psycopg"]);
}

const reason = await whyNotPython();
if (reason !== null) console.warn(`The Python example was not run: ${reason}.`);

describe.skipIf(reason !== null)("the Python example", async () => {
  const world = await openInboxWorld();
  const { sql, url } = world;
  const pawl = await openPawl({
    url,
    plugins: [board],
    sweepSeconds: 0,
    reconcileSeconds: 0,
    inboxSeconds: 0.05,
  });
  afterAll(() => pawl.close());

  test("saves each order with its task, or neither", async () => {
    await pawl.createMember({ id: "shop", kind: "service", roles: ["agent"] });
    await sql`create table public.shop_order (id int primary key, item text not null)`;
    const role = await world.createRole(`shop_${randomBytes(2).toString("hex")}`, { canExecute: false });
    await sql.unsafe(`grant select, insert on public.shop_order to ${role}`);
    const { searchParams, pathname } = new URL(url);
    const address = socketUrl(searchParams.get("host") ?? "", pathname.slice(1), role);
    const place = async (...orders: string[]) => {
      const script = join(ROOT, "examples/python-enqueue/enqueue.py");
      const { stdout } = await run(PYTHON, [script, ...orders], { env: { DATABASE_URL: address } });
      return stdout.trimEnd().split("\n");
    };
    const orders = async () =>
      (await sql<{ id: number }[]>`select id from public.shop_order order by id`).map(({ id }) => id);

    expect(await place("1=teapot")).toEqual(["order 1 not saved: permission denied for function enqueue"]);
    await sql.unsafe(`grant execute on function pawl.enqueue to ${role}`);
    expect(await place("1=teapot")).toEqual([
      `order 1 not saved: role "${role}" is bound to no member of org "main" (If the org exists, its admin binds the role to a member: pawl inbox bind ${role} shop)`,
    ]);
    expect(await orders()).toEqual([]);
    await world.bind(role, "shop");
    expect(await place("1=teapot", "2=kettle", "1=cup")).toEqual([
      "order 1 saved, its task requested",
      "order 2 saved, its task requested",
      'order 1 not saved: duplicate key value violates unique constraint "shop_order_pkey"',
    ]);
    expect(await orders()).toEqual([1, 2]);
    const tasks = await until(async () => {
      const rows = await sql<{ title: string; created_by: string }[]>`
        select title, created_by from pawl.task order by title`;
      return rows.length === 2 && rows;
    });
    expect(tasks).toEqual([
      { title: "Pack order 1", created_by: "shop" },
      { title: "Pack order 2", created_by: "shop" },
    ]);
    expect(await sql`select from pawl.inbox`).toHaveLength(0);
  });
});
