import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import { createOrg } from "../../../src/engine/directory/members.ts";
import type { Sql } from "../../../src/postgres/connect.ts";
import { openTestEngine, SYSTEM } from "../test-engine.ts";
import type { TestEngine } from "../test-engine.ts";

export const BOARD_INPUT = { title: "Pack the order", description: "Two boxes" };

export type Request = {
  org?: string | null;
  lifecycle?: string | null;
  input?: unknown;
  key?: string | null;
  member?: string | null;
};

/** An engine with SQL roles, members and bindings of its own. */
export type InboxWorld = TestEngine & {
  /** Creates a login role that may call `pawl.enqueue`; roles are shared by all databases, so its name is random. */
  createRole(name: string, options?: { inherits?: string; canExecute?: boolean }): Promise<string>;
  /** Opens a client that is logged in as a role. */
  as(role: string): postgres.Sql;
  bind(role: string, member: string, org?: string): Promise<void>;
  /** Decides all due requests on a node, and returns how many were decided. */
  admitAll(engine?: Engine): Promise<number>;
};

/** Creates the members `ann` (an agent), `vic` (a viewer) and `off` (inactive) in the orgs `main` and `other`. */
export async function openInboxWorld(
  options: Parameters<typeof openTestEngine>[0] = {},
): Promise<InboxWorld> {
  const env = await openTestEngine(options);
  const { sql, engine } = env;
  await createOrg(sql, "other");
  for (const org_id of ["main", "other"])
    await sql`
      insert into pawl.member (org_id, id, name, kind, roles, active) values
        (${org_id}, 'ann', 'Ann', 'service', '{agent}', true),
        (${org_id}, 'vic', 'Vic', 'service', '{viewer}', true),
        (${org_id}, 'off', 'Off', 'service', '{agent}', false)`;
  const clients: postgres.Sql[] = [];
  const roles: string[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end({ timeout: 5 })));
    await dropRoles(sql, roles);
  });
  return {
    ...env,
    createRole: async (name, { inherits, canExecute = true } = {}) => {
      const role = `${name}_${randomBytes(4).toString("hex")}`;
      await sql.unsafe(`create role ${role} login`);
      roles.push(role);
      await sql.unsafe(`grant usage on schema pawl to ${role}`);
      if (canExecute) await sql.unsafe(`grant execute on function pawl.enqueue to ${role}`);
      if (inherits !== undefined) await sql.unsafe(`grant ${inherits} to ${role}`);
      return role;
    },
    as: (role) => {
      const { searchParams, pathname } = new URL(env.url);
      const address = { host: searchParams.get("host") ?? "", database: pathname.slice(1) };
      const client = postgres({ ...address, username: role, max: 1, onnotice: () => undefined });
      clients.push(client);
      return client;
    },
    bind: async (role, member, org_id = "main") => {
      const bound = await engine.inbox.bind({ org_id, actor: SYSTEM }, role, member);
      if (bound.kind === "refused") throw new Error(bound.detail);
    },
    admitAll: async (node = engine) => {
      let decided = 0;
      for (;;) {
        const groups = await node.inbox.groups();
        const done = await Promise.all(groups.map((group) => node.inbox.admit(group, 200)));
        const some = done.flat().filter(({ kind }) => kind !== "later").length;
        if (some === 0) return decided;
        decided += some;
      }
    },
  };
}

async function dropRoles(sql: Sql, roles: readonly string[]): Promise<void> {
  for (const role of roles.toReversed()) {
    await sql.unsafe(`drop owned by ${role}`);
    await sql.unsafe(`drop role ${role}`);
  }
}

/** Calls `pawl.enqueue` as the client's role; returns the id of the request. */
export async function enqueue(
  client: postgres.Sql | postgres.TransactionSql,
  request: Request = {},
): Promise<string> {
  const { org = "main", lifecycle = "board", input = BOARD_INPUT, key = null, member = "ann" } = request;
  const [row] = await client<{ id: string }[]>`
    select pawl.enqueue(org => ${org}, lifecycle => ${lifecycle}, input => ${client.json(input as never)},
      key => ${key}, member => ${member}) as id`;
  return row?.id ?? "";
}
