import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import type { App } from "../../src/main/app.ts";
import { failedRequests, lifecyclesThatMoved, openDemoNodes, playedBy, tablesOfOrgs } from "./demo-nodes.ts";
import type { DemoNodes } from "./demo-nodes.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const SOON = { timeout: WAIT_LIMIT_MS, interval: 100 };
const ALL_LIFECYCLES = LIFECYCLES.map(({ name }) => name).sort();

let nodes: DemoNodes;
let app: App;
let admin: Client;

beforeAll(async () => {
  nodes = await openDemoNodes();
  ({ app, admin } = await nodes.node());
});

afterAll(() => nodes.close());

test("an English demo has no Cyrillic letter in any row", async () => {
  expect(await admin.startDemo()).toMatchObject({ language: "en" });
  await vi.waitFor(async () => {
    expect(await lifecyclesThatMoved(nodes.sql)).toEqual(ALL_LIFECYCLES);
  }, SOON);
  expect(await tablesWithCyrillic()).toEqual([]);
});

test("a start in another language replaces the demo, and the new one is Russian in every lifecycle", async () => {
  const { token: old, made_at } = await admin.startDemo({ language: "en" });
  const started = await admin.startDemo({ language: "ru" });
  expect(started).toMatchObject({ state: "running", language: "ru" });
  expect(Date.parse(started.made_at ?? "")).toBeGreaterThan(Date.parse(made_at ?? ""));
  await expect(createClient({ url: app.address, token: old }).getMe()).rejects.toMatchObject({
    code: "INVALID_TOKEN",
  });
  expect(await createClient({ url: app.address, token: started.token }).getMe()).toMatchObject({
    name: "Вы",
  });
  await vi.waitFor(async () => {
    expect(await lifecyclesThatMoved(nodes.sql)).toEqual(ALL_LIFECYCLES);
    expect(await lifecyclesWithCyrillicTitles()).toEqual(ALL_LIFECYCLES);
  }, SOON);
  expect(await failedRequests(admin)).toEqual([]);
  expect(await tablesWithCyrillic()).toEqual(
    expect.arrayContaining([
      "bot_actions_message",
      "delivery_file",
      "delivery_user",
      "event",
      "member",
      "project",
    ]),
  );
  expect(await membersWithoutCyrillicName()).toEqual([]);
});

test("a demo that is resumed without a language keeps its own", async () => {
  const { made_at } = await admin.stopDemo();
  expect(await admin.startDemo()).toMatchObject({ language: "ru", made_at });
  expect(await admin.startDemo({ language: "ru" })).toMatchObject({ language: "ru", made_at });
});

test("a node that takes the demo over continues in the demo's language, not in its own", async () => {
  const held = await playedBy(nodes.sql);
  await nodes.node({ demo: true, language: "en" });
  await app.stop();
  await vi.waitFor(async () => {
    expect([null, held]).not.toContain(await playedBy(nodes.sql));
  }, SOON);
  const before = await countBoardTasks();
  await vi.waitFor(async () => {
    expect(await countBoardTasks()).toBeGreaterThan(before);
  }, SOON);
  const foreign = await nodes.sql`
    select from pawl.task t where t.org_id = 'demo' and t.lifecycle = 'board' and t.title !~ '[А-Яа-я]'`;
  expect(foreign).toHaveLength(0);
});

test.each([
  ["the locale is the default", { locale: "ru_RU.UTF-8" }, "ru"],
  ["another locale means English", { locale: "de_DE.UTF-8" }, "en"],
  ["the setting takes precedence over the locale", { locale: "ru_RU.UTF-8", language: "en" }, "en"],
  ["the setting alone", { language: "ru" }, "ru"],
])("language of a new demo: %s", async (_, options, language) => {
  const node = await nodes.node(options);
  await node.admin.removeDemo();
  expect(await node.admin.startDemo()).toMatchObject({ language });
  await node.app.stop();
});

async function tablesWithCyrillic(): Promise<string[]> {
  const found = await Promise.all(
    (await tablesOfOrgs(nodes.sql)).map(async (name) => {
      const rows = await nodes.sql`
        select from ${nodes.sql(`pawl.${name}`)} t where t.org_id = 'demo' and t::text ~ '[А-Яа-яЁё]' limit 1`;
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

async function lifecyclesWithCyrillicTitles(): Promise<string[]> {
  const rows = await nodes.sql<{ lifecycle: string }[]>`
    select distinct t.lifecycle from pawl.task t where t.org_id = 'demo' and t.title ~ '[А-Яа-яЁё]' order by 1`;
  return rows.map(({ lifecycle }) => lifecycle);
}

async function membersWithoutCyrillicName(): Promise<string[]> {
  const rows = await nodes.sql<{ id: string }[]>`
    select m.id from pawl.member m where m.org_id = 'demo' and m.name !~ '[А-Яа-яЁё]'`;
  return rows.map(({ id }) => id);
}

async function countBoardTasks(): Promise<number> {
  return (await nodes.sql`select from pawl.task t where t.org_id = 'demo' and t.lifecycle = 'board'`).length;
}
