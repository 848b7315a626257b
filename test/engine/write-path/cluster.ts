import postgres from "postgres";
import { afterAll, expect, inject } from "vitest";
import { openPawl } from "../../../src/main/index.ts";
import type { Actor, Caller, JsonObject, PawlOptions, PublicTask, Refusal } from "../../../src/main/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import type { Pawl } from "../../../src/main/index.ts";
import { testDatabases } from "../../support/postgres.ts";
import { member } from "../../support/situation.ts";
import { JOB_TABLES, nodeOptions } from "./job.ts";

/** One node: its engine, with what a test needs of the library around it. */
export type ClusterNode = Engine & Pick<Pawl, "close" | "createOrg" | "createProject" | "asSystem">;

/** Several nodes on one database, and plain connections to it. */
export type Cluster = {
  url: string;
  nodes: ClusterNode[];
  /** Connections without Pawl's settings, like those of psql. */
  sql: postgres.Sql;
  /** Opens one more node. */
  open(options?: PawlOptions): Promise<ClusterNode>;
};

/** Creates a database for the test file and opens nodes on it. Timers and repairs run only on request. */
export async function openCluster({ nodes = 2 }: { nodes?: number } = {}): Promise<Cluster> {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const { url } = database;
  const opened: ClusterNode[] = [];
  const open = async (options: PawlOptions = {}) => {
    const pawl = await openPawl({ ...nodeOptions(url), ...options });
    const node: ClusterNode = Object.assign(pawl.engine, {
      close: () => pawl.close(),
      createOrg: (id: string) => pawl.createOrg(id),
      createProject: (...args: Parameters<Pawl["createProject"]>) => pawl.createProject(...args),
      asSystem: (org_id?: string) => pawl.asSystem(org_id),
    });
    opened.push(node);
    return node;
  };
  const sql = connectPlainly(url);
  afterAll(async () => {
    await Promise.all(opened.map((node) => node.close()));
    await sql.end({ timeout: 5 });
    await database.drop();
    await databases.close();
  });
  const first = await open();
  await sql.unsafe(JOB_TABLES);
  const others = await Promise.all(Array.from({ length: nodes - 1 }, () => open()));
  return { url, nodes: [first, ...others], sql, open };
}

/** Opens a client without any of Pawl's settings. */
export function connectPlainly(url: string, maxConnections = 10): postgres.Sql {
  const { searchParams, pathname, username } = new URL(url);
  return postgres({
    host: searchParams.get("host") ?? "",
    database: pathname.slice(1),
    username,
    max: maxConnections,
    onnotice: () => undefined,
    connection: { application_name: "psql" },
  });
}

export const ann = member("ann", ["agent"]);
export const bob = member("bob", ["agent"]);
export const cat = member("cat", ["agent"]);

export function as(actor: Actor, org_id = "main"): Caller {
  return { org_id, actor };
}

/** Creates jobs in one request. */
export async function createJobs(
  node: ClusterNode,
  jobs: readonly JsonObject[],
  caller: Caller = as(cat),
): Promise<PublicTask[]> {
  const created = await node.create(
    caller,
    jobs.map((fields) => ({ lifecycle: "job", ...fields })),
  );
  if (created.kind === "refused") throw new Error(`${created.code}: ${created.detail}`);
  return created.tasks;
}

/** Opens a new org, so that tests do not see each other's tasks. */
export async function newOrg({ nodes }: Cluster): Promise<string> {
  const org_id = `org-${crypto.randomUUID()}`;
  await nodes[0]!.createOrg(org_id);
  return org_id;
}

/** Calls `make` with 0, 1, 2 … in one turn of the event loop, and returns the results. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns an answer in one word: the code of a refusal, "replayed", or its kind. */
export function outcomeOf(answer: Refusal | { kind: string; replayed?: boolean }): string {
  if ("code" in answer) return answer.code;
  return answer.replayed === true ? "replayed" : answer.kind;
}

/** Resolves to the outcome of an answer, or to the code of a thrown error such as UNAVAILABLE. */
export async function outcomeWhenAnswered(answer: Promise<Parameters<typeof outcomeOf>[0]>): Promise<string> {
  return answer.then(outcomeOf, (error: unknown) => {
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  });
}

/** Locks task rows in a transaction until the returned function is called; calling it twice is harmless. */
export async function lockRows(
  sql: postgres.Sql,
  tasks: readonly { id: string }[],
): Promise<() => Promise<void>> {
  const session = await sql.reserve();
  await session`begin`;
  await session`select from pawl.task where id = any(${tasks.map(({ id }) => id)}) order by id for update`;
  let released: Promise<void> | undefined;
  const release = async () => {
    await session`commit`;
    session.release();
  };
  return () => (released ??= release());
}

/** Counts the journal rows of a task. */
export async function countEvents(sql: postgres.Sql, id: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from pawl.event where task_id = ${id}`;
  return row?.n ?? 0;
}

/** Checks that every row matches its journal, the feed has no gaps and every blocker counter is right. */
export async function expectConsistent({ nodes, sql }: Cluster, org_id = "main"): Promise<void> {
  expect((await nodes[0]!.verify(org_id)).differences).toEqual([]);
  const [feed] = await sql`
    select o.feed_position::int as position, count(e.*)::int as events, coalesce(max(e.position), 0)::int as last
    from pawl.org o left join pawl.event e on e.org_id = o.id where o.id = ${org_id} group by o.id`;
  expect(feed).toEqual({
    position: feed?.events as number,
    events: feed?.events as number,
    last: feed?.events as number,
  });
  expect(
    await sql`
      select t.id, t.status, t.open_blockers from pawl.task t
      where t.org_id = ${org_id} and t.open_blockers <> (
        select count(*) from pawl.dependency d where d.org_id = t.org_id and d.task_id = t.id and not d.resolved)`,
  ).toEqual([]);
}
