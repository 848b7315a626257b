import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import { Engine } from "../../src/engine/engine.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { failedRequests, lifecyclesThatMoved, openDemoNodes, playedBy, tablesOfOrgs } from "./demo-nodes.ts";
import type { DemoNodes } from "./demo-nodes.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const SOON = { timeout: WAIT_LIMIT_MS, interval: 100 };

let nodes: DemoNodes;
let url: string;
let admin: Client;
let visitor: Client;

beforeAll(async () => {
  nodes = await openDemoNodes();
  const { app, admin: client } = await nodes.node();
  expect(app).toMatchObject({ demo: "absent", empty: true });
  url = app.address;
  admin = client;
});

afterAll(() => nodes.close());

test("before it is started, the demo is absent", async () => {
  expect(await admin.getDemo()).toEqual({
    state: "absent",
    org_id: "demo",
    language: null,
    made_at: null,
  });
});

test("a started demo creates and moves tasks of every lifecycle without invalid requests", async () => {
  const mine = await admin.createTask({
    lifecycle: "board",
    title: "Mine alone",
    description: "And it stays",
  });
  const started = await admin.startDemo();
  expect(started).toMatchObject({ state: "running", org_id: "demo", language: "en" });
  visitor = createClient({ url, token: started.token });
  expect(await visitor.getMe()).toMatchObject({ id: "you", org_id: "demo" });
  await vi.waitFor(async () => {
    expect(await lifecyclesThatMoved(nodes.sql)).toEqual(LIFECYCLES.map(({ name }) => name).sort());
  }, SOON);
  expect(await failedRequests(admin)).toEqual([]);
  expect(await admin.listTasks({})).toMatchObject({ tasks: [{ id: mine.id, row_version: 1 }] });
});

test("journals and tasks of the demo agree while it runs", async () => {
  const engine = new Engine(nodes.sql, PLUGINS);
  const report = await engine.verify("demo");
  expect(report.differences).toEqual([]);
  expect(report.tasks).toBeGreaterThan(8);
});

test("a stopped demo pauses its members, and a started one continues", async () => {
  expect(await visitor.stopDemo()).toMatchObject({ state: "stopped" });
  const before = await position();
  // At the demo's pace, members would act several times during these requests.
  for (let asked = 0; asked < 200; asked++) await admin.getMe();
  // Timers still fire; members do nothing.
  expect(await memberEventsAfter(before)).toBe(0);
  expect(await admin.startDemo()).toMatchObject({ state: "running" });
  await vi.waitFor(async () => {
    expect(await memberEventsAfter(before)).toBeGreaterThan(3);
  }, SOON);
});

test("one of two nodes plays the demo, and the other continues when it stops", async () => {
  await admin.stopDemo();
  const second = await nodes.node({ demo: true });
  const held = await playedBy(nodes.sql);
  await admin.startDemo();
  expect(await playedBy(nodes.sql)).toBe(held);
  await second.app.stop();
  await vi.waitFor(async () => {
    const taken = await playedBy(nodes.sql);
    expect([null, held]).not.toContain(taken);
  }, SOON);
});

test("a removed demo leaves nothing behind, and rows of other orgs are unchanged", async () => {
  const before = await checksumOfOthers();
  await visitor.removeDemo();
  expect(await leftovers()).toEqual([]);
  expect(await checksumOfOthers()).toEqual(before);
  await expect(visitor.getMe()).rejects.toMatchObject({ code: "INVALID_TOKEN" });
  expect(await admin.getDemo()).toMatchObject({ state: "absent" });
  await admin.removeDemo();
});

test("the demo can be created again, and another org named demo is left alone", async () => {
  const { token } = await admin.startDemo();
  await vi.waitFor(async () => {
    expect((await createClient({ url, token }).listTasks({ limit: 1 })).tasks).toHaveLength(1);
  }, SOON);
  await admin.removeDemo();
  await nodes.sql`insert into pawl.org (id) values ('demo')`;
  await expect(admin.startDemo()).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  await admin.removeDemo();
  expect(await nodes.sql`select id from pawl.org where id = 'demo'`).toHaveLength(1);
  await expect(
    nodes.sql`insert into pawl.demo (org_id, state) values ('main', 'removing')`,
  ).rejects.toMatchObject({
    constraint_name: "demo_org_is_demo",
  });
  await expect(nodes.sql`select pawl.remove_demo_rows(10)`).rejects.toMatchObject({
    constraint_name: "demo_is_being_removed",
  });
});

async function position(): Promise<number> {
  const [row] = await nodes.sql<
    { feed_position: string }[]
  >`select feed_position from pawl.org where id = 'demo'`;
  return Number(row?.feed_position);
}

async function memberEventsAfter(before: number): Promise<number> {
  const rows = await nodes.sql`
    select from pawl.event e where e.org_id = 'demo' and e.position > ${before} and e.actor_id is not null`;
  return rows.length;
}

async function leftovers(): Promise<string[]> {
  const kept = await Promise.all(
    (await tablesOfOrgs(nodes.sql)).map(async (name) => {
      const rows = await nodes.sql`select from ${nodes.sql(`pawl.${name}`)} where org_id = 'demo' limit 1`;
      return rows.length > 0 ? [name] : [];
    }),
  );
  const org = await nodes.sql`select from pawl.org where id = 'demo'`;
  return [...kept.flat(), ...(org.length > 0 ? ["org"] : [])];
}

async function checksumOfOthers(): Promise<Record<string, string>> {
  const sums = await Promise.all(
    (await tablesOfOrgs(nodes.sql)).map(async (name) => {
      const [row] = await nodes.sql<{ sum: string | null }[]>`
        select md5(string_agg(t::text, ',' order by t::text)) as sum from ${nodes.sql(`pawl.${name}`)} t where org_id <> 'demo'`;
      return [name, row?.sum ?? "none"] as const;
    }),
  );
  const [orgs] =
    await nodes.sql`select md5(string_agg(t::text, ',' order by t::text)) as sum from pawl.org t where id <> 'demo'`;
  return { ...Object.fromEntries(sums), org: String(orgs?.sum) };
}
