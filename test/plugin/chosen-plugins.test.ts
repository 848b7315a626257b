import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { BUILT_IN_NAMES, defineLifecycle } from "../../src/core/index.ts";
import { findDrift } from "../../src/engine/upkeep/find-drift.ts";
import { board } from "../../src/lifecycles/board/index.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { planner } from "../../src/lifecycles/planner/index.ts";
import { openPawl } from "../../src/main/open-pawl.ts";
import type { PawlOptions } from "../../src/main/open-pawl.ts";
import { migrationSources, resolvePlugins } from "../../src/main/plugins.ts";
import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { pawl } from "../cli/pawl-process.ts";
import { openDemoNodes } from "../demo/demo-nodes.ts";
import type { DemoNodes } from "../demo/demo-nodes.ts";
import { testDatabases } from "../support/postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const SOON = { timeout: WAIT_LIMIT_MS, interval: 100 };
// The codes of sign-in links belong to no plugin.
const OFF = /planner|delivery|bot-actions|bot_action|no-code|chats|(?<!login-|session\/)code\b/;
const REMEDY =
  'There is no lifecycle "board": this built-in plugin is off. Add it to `plugins` of openPawl, or to PAWL_BUILT_IN_PLUGINS of the server.';
const TASK = { lifecycle: "board", title: "Pack the order", description: "x" };

const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

async function emptyDatabase() {
  const database = await databases.createDatabase();
  const sql = connect(database.url, { maxConnections: 1 });
  onTestFinished(async () => {
    await sql.end({ timeout: 5 });
    await database.drop();
  });
  const open = async (options: PawlOptions) => {
    const opened = await openPawl({ url: database.url, sweepSeconds: 0, reconcileSeconds: 0, ...options });
    onTestFinished(() => opened.close());
    return opened;
  };
  return { ...database, sql, open };
}

async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'pawl'`;
  return rows.map(({ name }) => name);
}

test("the names of the built-in plugins match the plugins", () => {
  expect(PLUGINS.map(({ lifecycle }) => lifecycle.name)).toEqual(BUILT_IN_NAMES);
});

test("a library runs no built-in plugin by default, and the refusal names the remedy", async () => {
  const { sql, open } = await emptyDatabase();
  const opened = await open({});
  expect([...opened.engine.registry.lifecycles.keys()]).toEqual([]);
  expect((await tablesOf(sql)).filter((name) => OFF.test(name.replace("_", "-")))).toEqual([]);
  expect(await sql`select from pawl.lifecycle`).toHaveLength(0);
  expect(await opened.create(opened.asSystem(), [TASK])).toMatchObject({
    kind: "refused",
    code: "UNKNOWN_LIFECYCLE",
    detail: REMEDY,
  });
});

test("a library runs the built-in plugins that it lists, with their tables", async () => {
  const { sql, open } = await emptyDatabase();
  const opened = await open({ plugins: [board, planner] });
  expect([...opened.engine.registry.lifecycles.keys()]).toEqual(["board", "planner"]);
  const tables = await tablesOf(sql);
  expect(tables.some((name) => name.startsWith("planner_"))).toBe(true);
  expect(tables.some((name) => /^(delivery|code|bot_actions)_/.test(name))).toBe(false);
  expect(await opened.create(opened.asSystem(), [TASK])).toMatchObject({ tasks: [{ status: "NEW" }] });
});

test("a library may have a lifecycle of its own with the name of a built-in one", () => {
  const own = defineLifecycle({
    name: "board",
    version: 1,
    summary: "A board of our own",
    data: z.object({}),
    statuses: { open: {}, closed: { final: true, success: true } },
    actions: { close: {} },
    creation: { input: z.object({}), to: [{ status: "open" }], data: () => ({}) },
    rules: [{ action: "close", from: "open", to: "closed", who: "anyone" }],
  } as never);
  expect(resolvePlugins([own])[0]?.lifecycle).toBe(own);
  expect(resolvePlugins([board])[0]).toBe(PLUGINS[0]);
  expect(() => resolvePlugins([board, own])).toThrow('Two lifecycles are named "board".');
});

test("the former option lifecycles of openPawl is refused, not ignored", async () => {
  await expect(openPawl({ lifecycles: [board] } as never)).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: "openPawl has no option lifecycles: list them in plugins.",
  });
});

let nodes: DemoNodes;
beforeAll(async () => {
  nodes = await openDemoNodes();
});
afterAll(() => nodes.close());
const BOARD_ONLY = { PAWL_BUILT_IN_PLUGINS: "board" };

test("a server with one plugin has no tables, routes, screens, metrics or demo of the others", async () => {
  const { app, admin } = await nodes.node({ demo: true, env: BOARD_ONLY });
  await vi.waitFor(async () => {
    expect(await nodes.sql`select from pawl.event where org_id = 'demo' limit 20`).toHaveLength(20);
  }, SOON);
  expect(await nodes.sql`select distinct lifecycle as name from pawl.event`).toEqual([{ name: "board" }]);
  expect(
    (await tablesOf(nodes.sql)).filter((name) => /^(planner|delivery|code|bot_actions)_/.test(name)),
  ).toEqual([]);
  expect((await admin.listLifecycles()).lifecycles.map(({ name }) => name)).toEqual(["board"]);
  const document = (await (await fetch(`${app.address}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(document.paths)).toContain("/api/board/tasks");
  expect(Object.keys(document.paths).filter((path) => OFF.test(path))).toEqual([]);
  expect(JSON.stringify(await admin.getMetrics())).not.toMatch(
    /lifecycle="(planner|delivery|code|bot-actions)"/,
  );
  const { plugins } = await admin.listConsolePlugins();
  expect(plugins.map(({ lifecycle }) => lifecycle)).toEqual(["board"]);
  await expect(admin.createTask({ ...TASK, lifecycle: "planner" })).rejects.toMatchObject({
    detail: REMEDY.replace("board", "planner"),
  });
  await admin.removeDemo();
});

test("tables and tasks of a plugin that is turned off later stay, nothing breaks, and there is no drift", async () => {
  const { sql, open, url } = await emptyDatabase();
  const before = await open({ plugins: [board, planner] });
  await before.create(before.asSystem(), [TASK]);
  const made = await before.create(before.asSystem(), [
    { lifecycle: "planner", title: "Turn the legs", description: "Four of them" },
  ]);
  if (made.kind === "refused") throw new Error(made.detail);
  await before.close();

  const after = await open({ plugins: [board], retention: { days: 1 } });
  const { tasks } = await after.list(after.asSystem(), {});
  expect(tasks.map(({ lifecycle }) => lifecycle)).toContain("board");
  await after.sweep();
  await after.reconcile("main");
  await after.prune({ org_id: "main", olderThanMs: 0 });
  expect((await after.verify("main")).differences).toEqual([]);
  expect(await sql`select from pawl.task where lifecycle = 'planner'`).toHaveLength(1);
  expect(await findDrift(sql, migrationSources(resolvePlugins([board])))).toEqual([]);
  const checked = await pawl(["migrate", "--check"], { env: { DATABASE_URL: url, ...BOARD_ONLY } });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  const again = await open({ plugins: [board, planner] });
  expect(await again.find(again.asSystem(), made.tasks[0]!.id)).toMatchObject({ title: "Turn the legs" });
});

test.each([
  [
    "planner,bord",
    'PAWL_BUILT_IN_PLUGINS is ["planner","bord"], not a list of board, planner, delivery, code, bot-actions, or none; did you mean planner,board?',
  ],
  ["all", "not a list of board, planner, delivery, code, bot-actions, or none"],
])("PAWL_BUILT_IN_PLUGINS=%s is refused in a sentence", async (value, message) => {
  const { code, stderr } = await pawl(["migrate", "--check"], { env: { PAWL_BUILT_IN_PLUGINS: value } });
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test("a command of a plugin that is off names the way to turn it on", async () => {
  for (const args of [
    ["delivery", "bot"],
    ["code", "run"],
  ]) {
    const { code, stderr } = await pawl(args, { env: { PAWL_BUILT_IN_PLUGINS: "none" } });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `The built-in plugin "${args[0]!}" is off: add it to PAWL_BUILT_IN_PLUGINS, or to builtInPlugins in pawl.config.ts.`,
      ),
    ]);
  }
});
