import { SYSTEM } from "../test-engine.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { BOARD_INPUT, enqueue, openInboxWorld } from "./inbox-world.ts";
import type { Request } from "./inbox-world.ts";

const world = await openInboxWorld();
const { sql } = world;
const app = await world.createRole("app");
await world.bind(app, "ann");
await world.bind(app, "off");
const client = world.as(app);

beforeEach(async () => {
  await sql`delete from pawl.inbox`;
});

async function stored() {
  return sql<{ key: string; id: string; input: unknown; member_id: string; role_name: string }[]>`
    select * from pawl.inbox order by id`;
}

test("a committed request is stored with the caller's rows, and its id is returned", async () => {
  const id = await enqueue(client, { key: "order-1" });
  expect(await stored()).toMatchObject([
    { id, key: "order-1", input: BOARD_INPUT, member_id: "ann", role_name: app },
  ]);
});

test("a request of a transaction that is rolled back is not stored", async () => {
  const rolledBack = client.begin(async (tx) => {
    await enqueue(tx);
    throw new Error("no");
  });
  await expect(rolledBack).rejects.toThrow("no");
  await client.begin(async (tx) => {
    await tx
      .savepoint((inner) => enqueue(inner).then(() => Promise.reject(new Error("no"))))
      .catch(() => null);
  });
  expect(await stored()).toEqual([]);
});

test("ids are in the order of the requests, and without a key the id is the key", async () => {
  const ids: string[] = [];
  // Many in one millisecond.
  for (let n = 0; n < 30; n++) ids.push(await enqueue(client));
  expect((await stored()).map(({ id, key }) => [id, key])).toEqual(ids.map((id) => [id, id]));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
});

test("a trigger requests a task for each inserted row", async () => {
  await sql.unsafe(`
    create table public.shop_order (id int primary key, item text not null);
    grant insert on public.shop_order to ${app};
    create function public.enqueue_order() returns trigger language plpgsql as $$
    begin
      perform pawl.enqueue(org => 'main', lifecycle => 'board', key => 'order-' || new.id, member => 'ann',
        input => jsonb_build_object('title', 'Pack ' || new.item, 'description', 'x'));
      return null;
    end $$;
    create trigger order_enqueued after insert on public.shop_order for each row execute function public.enqueue_order()`);
  await client`insert into public.shop_order values (1, 'tea'), (2, 'jam')`;
  expect((await stored()).map(({ key }) => key)).toEqual(["order-1", "order-2"]);
});

const MISTAKES: [name: string, request: Request, code: string, message: RegExp, hint: RegExp | null][] = [
  ["org", { org: null }, "22004", /^pawl\.enqueue needs org$/, /select pawl\.enqueue\(/],
  ["lifecycle", { lifecycle: null }, "22004", /^pawl\.enqueue needs lifecycle$/, null],
  ["an object", { input: [1] }, "22023", /^input must be a JSON object, not array$/, /POST \/api\/tasks/],
  ["a short input", { input: { title: "x".repeat(1_100_000) } }, "54000", /^input has \d+ bytes/, /Store/],
  ["a short key", { key: "k".repeat(501) }, "22023", /^key must have 1 to 500 characters$/, null],
  ["a key", { key: "" }, "22023", /^key must have 1 to 500 characters$/, null],
  ["a short lifecycle", { lifecycle: "l".repeat(201) }, "22023", /^lifecycle must have/, null],
  [
    "a known org",
    { org: "nosuch" },
    "42501",
    /^role "app_\w+" is bound to no member of org "nosuch"$/,
    /bind app_\w+ ann$/,
  ],
  [
    "the right org",
    { org: "other" },
    "42501",
    /^role "app_\w+" is bound to no member of org "other"$/,
    /bind app_\w+ ann$/,
  ],
  [
    "a known member",
    { member: "nob" },
    "22023",
    /^there is no member "nob" in org "main"$/,
    /pawl members list/,
  ],
  [
    "a bound member",
    { member: "vic" },
    "42501",
    /^role "app_\w+" is not bound to member "vic"/,
    /bind app_\w+ vic$/,
  ],
  ["an active member", { member: "off" }, "42501", /^member "off" of org "main" is inactive$/, /--active$/],
  ["one member", { member: null }, "22023", /bound to several members of org "main": name one/, /ann, off$/],
];

test.each(MISTAKES)(
  "a request without %s is an error, and nothing is stored",
  async (_, request, code, message, hint) => {
    const error = await enqueue(client, request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    if (hint) expect(error).toMatchObject({ hint: expect.stringMatching(hint) as string });
    expect(await stored()).toEqual([]);
  },
);

describe("a SQL role", () => {
  test("cannot call enqueue without EXECUTE, although it is bound", async () => {
    const outsider = await world.createRole("outsider", { canExecute: false });
    await world.bind(outsider, "ann");
    await expect(enqueue(world.as(outsider))).rejects.toMatchObject({
      code: "42501",
      message: "permission denied for function enqueue",
    });
  });

  test("cannot read or write Pawl's tables", async () => {
    for (const statement of [
      "select from pawl.inbox",
      "insert into pawl.sql_binding values ('main', 'x', 'ann')",
    ])
      await expect(client.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
  });

  test("cannot act as a member of another org that has the same id", async () => {
    await expect(enqueue(client, { org: "other", member: "ann" })).rejects.toMatchObject({ code: "42501" });
  });

  test("need not name its member if it is bound to only one", async () => {
    const single = await world.createRole("single");
    await world.bind(single, "vic", "other");
    await enqueue(world.as(single), { org: "other", member: null });
    expect(await stored()).toMatchObject([{ member_id: "vic" }]);
  });

  test("acts as the members of a role that it inherits", async () => {
    const group = await world.createRole("grouped");
    const heir = await world.createRole("heir", { inherits: group });
    await world.bind(group, "vic");
    await enqueue(world.as(heir), { member: "vic" });
    expect(await stored()).toMatchObject([{ member_id: "vic", role_name: heir }]);
  });

  test("cannot act as the members of a role whose rights it would get only with SET ROLE", async () => {
    const group = await world.createRole("strong");
    const weak = await world.createRole("weak");
    await sql.unsafe(`grant ${group} to ${weak} with inherit false`).catch(async () => {
      // Before PostgreSQL 16, inheritance is an attribute of the role.
      await sql.unsafe(`alter role ${weak} noinherit; grant ${group} to ${weak}`);
    });
    await world.bind(group, "vic");
    const one = world.as(weak);
    await expect(enqueue(one, { member: "vic" })).rejects.toMatchObject({ code: "42501" });
    await one.begin(async (tx) => {
      await tx.unsafe(`set local role ${group}`);
      await enqueue(tx, { member: "vic" });
    });
    expect(await stored()).toMatchObject([{ member_id: "vic", role_name: group }]);
  });

  test("loses its members with SET ROLE to a role that is not bound", async () => {
    const anonymous = await world.createRole("anonymous");
    const gateway = await world.createRole("gateway", { inherits: anonymous });
    await world.bind(gateway, "vic");
    const one = world.as(gateway);
    await enqueue(one, { member: "vic" });
    await one.begin(async (tx) => {
      await tx.unsafe(`set local role ${anonymous}`);
      await expect(tx.savepoint((inner) => enqueue(inner, { member: "vic" }))).rejects.toMatchObject({
        code: "42501",
      });
      await tx`select set_config('session_authorization', session_user, true)`;
    });
  });

  test.each(["set role", "set session authorization"])(
    "cannot become another role with `%s`",
    async (change) => {
      const target = await world.createRole("target");
      await world.bind(target, "vic");
      await expect(client.unsafe(`${change} ${target}`)).rejects.toMatchObject({ code: "42501" });
    },
  );

  test("cannot pose as another role in a function with a setting of its own", async () => {
    const target = await world.createRole("posed");
    await world.bind(target, "vic");
    await sql.unsafe(`grant create on schema public to ${app}`);
    const posing = client.unsafe(`
      create function public.pose() returns uuid language sql set role = ${target} as
        $$ select pawl.enqueue('main', 'board', '{}'::jsonb, null, 'vic') $$;
      select public.pose()`);
    await expect(posing).rejects.toMatchObject({ code: "42501" });
  });

  test("cannot replace what the function calls by objects of its own", async () => {
    await client.begin(async (tx) => {
      await tx.unsafe(`
        create function pg_temp.pg_has_role(name, oid, text) returns boolean language sql as 'select true';
        create temp table pg_roles (rolname name, oid oid);
        set local search_path = pg_temp, pawl, pg_catalog`);
      await expect(tx.savepoint((inner) => enqueue(inner, { member: "vic" }))).rejects.toMatchObject({
        code: "42501",
      });
    });
  });

  test("is no longer bound after unbind", async () => {
    const leaver = await world.createRole("leaver");
    await world.bind(leaver, "ann");
    await enqueue(world.as(leaver));
    await world.engine.inbox.unbind({ org_id: "main", actor: SYSTEM }, leaver, "ann");
    await expect(enqueue(world.as(leaver))).rejects.toMatchObject({ code: "42501" });
  });

  test("with a name that needs quotes is bound like others", async () => {
    const odd = `Odd "role" ${crypto.randomUUID()}`;
    const quoted = `"${odd.replaceAll('"', '""')}"`;
    await sql.unsafe(`create role ${quoted} login`);
    await sql.unsafe(
      `grant usage on schema pawl to ${quoted}; grant execute on function pawl.enqueue to ${quoted}`,
    );
    try {
      await world.bind(odd, "ann");
      await enqueue(world.as(odd));
      expect(await stored()).toMatchObject([{ role_name: odd }]);
    } finally {
      await sql.unsafe(`drop owned by ${quoted}; drop role ${quoted}`);
    }
  });
});
