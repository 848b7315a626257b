import { afterAll, inject } from "vitest";
import type { Actor, JsonObject, Lifecycle } from "../../src/core/index.ts";
import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { Caller, EngineOptions } from "../../src/engine/engine.ts";
import type { EnginePlugin } from "../../src/engine/engine-plugin.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { migrate } from "../../src/engine/upkeep/migrate.ts";
import type { Performed } from "../../src/engine/write/perform.ts";
import type { PublicTask } from "../../src/engine/read/public-task.ts";
import { registerLifecycles } from "../../src/engine/upkeep/register-lifecycles.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { migrationSources } from "../../src/main/plugins.ts";
import { testDatabases } from "../support/postgres.ts";
import { member, SYSTEM } from "../support/situation.ts";

/** An engine on a database of its own, with helpers for tests. */
export type TestEngine = {
  sql: Sql;
  url: string;
  engine: Engine;
  /** Opens another engine on the same database: a second node. */
  node(options?: EngineOptions & { parts?: Parts }): Engine;
  by(actor: Actor): Caller;
  /** Creates one task and returns it; throws on a refusal. */
  make(actor: Actor, lifecycle: string, fields?: JsonObject): Promise<PublicTask>;
  /** Performs an action and returns the new status, or the code of the refusal. */
  act(actor: Actor, task: { id: string }, action: string, more?: JsonObject): Promise<string>;
};

/** Creates a database for the test file, with org and project `main`, and an engine on it. */
export async function openTestEngine(
  options: EngineOptions & {
    lifecycles?: readonly (Lifecycle | EnginePlugin)[];
    parts?: Parts;
    maxConnections?: number;
  } = {},
): Promise<TestEngine> {
  const plugins = withParts(options.lifecycles ?? PLUGINS, options.parts);
  const databases = testDatabases(inject("postgresUrl"));
  const template = await databases.createTemplate("pawl_migrated", async (sql) => {
    await migrate(sql, { sources: migrationSources(PLUGINS) });
    await registerLifecycles(sql, PLUGINS);
    await createOrg(sql, "main");
  });
  const database = await databases.createDatabase({ template });
  const { url } = database;
  const clients: Sql[] = [];
  const open = () => {
    const sql = connect(url, { maxConnections: options.maxConnections ?? 10, ownSessions: true });
    clients.push(sql);
    return sql;
  };
  const sql = open();
  if (options.lifecycles) await registerLifecycles(sql, plugins);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end({ timeout: 5 })));
    await database.drop();
    await databases.close();
  });
  const engine = new Engine(sql, plugins, options);
  const by = (actor: Actor) => ({ org_id: "main", actor });
  return {
    sql,
    url,
    engine,
    node: (more = {}) => new Engine(open(), withParts(plugins, more.parts), { ...options, ...more }),
    by,
    make: async (actor, lifecycle, fields = {}) => {
      const created = await engine.create(by(actor), [{ lifecycle, ...fields }], {
        client_event_id: crypto.randomUUID(),
      });
      if (created.kind === "refused") throw new Error(`${created.code}: ${created.detail}`);
      return created.tasks[0]!;
    },
    act: async (actor, task, action, more = {}) => {
      const done = await engine.perform(by(actor), { task_id: task.id, action, comment: "so", ...more });
      return done.kind === "refused" ? done.code : done.task.status;
    },
  };
}

/** Parts of plugins that a test replaces, by the names of their lifecycles. */
export type Parts = Readonly<Record<string, Omit<EnginePlugin, "lifecycle">>>;

export function withParts(plugins: readonly (Lifecycle | EnginePlugin)[], parts: Parts = {}): EnginePlugin[] {
  return plugins.map((one) => {
    const plugin =
      PLUGINS.find(({ lifecycle }) => lifecycle === one) ?? ("lifecycle" in one ? one : { lifecycle: one });
    return { ...plugin, ...parts[plugin.lifecycle.name] };
  });
}

/** Replaces a fact of delivery, so that every user has access. */
export const EVERYBODY_IS_ACTIVE: Parts = {
  delivery: {
    facts: { user: (_tx, _org, asks) => Promise.resolve(asks.map(() => ({ status: "ACTIVE" }))) },
  },
};

export function performed(answer: Performed | { kind: "refused"; code: string; detail: string }): Performed {
  if (answer.kind === "refused") throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

export const ann = member("ann", ["agent", "worker", "executor", "lead"], { skill_level: 9 });
export const bob = member("bob", ["agent", "worker", "executor"], { skill_level: 9 });
export const cat = member("cat", ["agent", "lead"]);
export { SYSTEM };
