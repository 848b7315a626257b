import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import type { PawlError } from "../../src/core/index.ts";
import { startTestServer } from "../../src/main/testing.ts";
import { definePlugin, query } from "../../src/plugin/index.ts";
import { openPawl } from "../../src/main/index.ts";
import { testDatabases } from "../support/postgres.ts";
import { shop, SHOP_ROUTES } from "./shop.ts";

const databases = testDatabases(inject("postgresUrl"));
const database = await databases.createDatabase();
const server = await startTestServer({
  url: database.url,
  plugins: [shop],
  settings: { shopCurrency: "SEK", shopPackHours: 1 },
});
const { client } = await server.member({ id: "ann", roles: ["agent"] });
const orders = client.lifecycle("shop");
const calls = client.calls(SHOP_ROUTES);
afterAll(async () => {
  await server.stop();
  await database.drop();
  await databases.close();
});

const stock = (item: string, pieces: number) =>
  server.pawl.transaction((tx) =>
    query(tx, "insert into pawl.shop_stock (org_id, item, pieces) values ('main', $1, $2)", [item, pieces]),
  );

test("the rules of a plugin use its creation facts, facts and effects", async () => {
  await stock("lamp", 1);
  await expect(orders.create({ item: "chair" })).rejects.toMatchObject({ code: "UNKNOWN_ITEM", status: 404 });
  const [first, second] = [await orders.create({ item: "lamp" }), await orders.create({ item: "lamp" })];
  expect(await orders.act(first.id, "pack")).toMatchObject({ task: { status: "packed" } });
  await expect(orders.act(second.id, "pack")).rejects.toMatchObject({
    code: "SOLD_OUT",
    status: 409,
    next: "Wait for the next delivery.",
  });
});

test("an effect that the database refuses undoes the move", async () => {
  await stock("vase", 1);
  const task = await orders.create({ item: "vase" });
  await server.pawl.transaction((tx) =>
    query(
      tx,
      "alter table pawl.shop_stock add constraint shop_full check (item <> 'vase' or pieces = 1)",
      [],
    ),
  );
  await expect(orders.act(task.id, "pack")).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
  await server.pawl.transaction((tx) =>
    query(tx, "alter table pawl.shop_stock drop constraint shop_full", []),
  );
  expect(await orders.act(task.id, "pack")).toMatchObject({ task: { status: "packed", row_version: 2 } });
});

test("routes of a plugin get its settings, answer with its problems and are in the OpenAPI document", async () => {
  await stock("sofa", 3);
  expect(await calls.readStock({ item: "sofa" })).toEqual({ item: "sofa", pieces: 3, currency: "SEK" });
  await expect(calls.readStock({ item: "bed" })).rejects.toMatchObject({ code: "UNKNOWN_ITEM", status: 404 });
  const document = (await client.getOpenApi()) as { paths: Record<string, { get?: { responses: object } }> };
  expect(Object.keys(document.paths["/api/shop/stock/{item}"]?.get?.responses ?? {})).toContain("404");
});

test("a setting of the process is the default of a project's setting", async () => {
  await stock("desk", 1);
  const task = await orders.create({ item: "desk" });
  await server.pawl.sweep({ now: Date.now() + 59 * 60_000 });
  expect(await orders.get(task.id)).toMatchObject({ needs_attention: false });
  await server.pawl.sweep({ now: Date.now() + 61 * 60_000 });
  expect(await orders.get(task.id)).toMatchObject({ needs_attention: true });
});

test("the sweep of a plugin acts as the system, and retention removes the plugin's rows with the task", async () => {
  await stock("rug", 1);
  const task = await orders.create({ item: "rug" });
  await orders.act(task.id, "pack");
  await server.pawl.transaction((tx) =>
    query(tx, "update pawl.shop_parcel set sent_at = now() where task_id = $1", [task.id]),
  );
  await server.pawl.sweep();
  expect(await orders.get(task.id)).toMatchObject({ status: "sent" });
  await server.pawl.prune({ org_id: "main", before: Date.now() + 1_000 });
  const left = await server.pawl.transaction((tx) =>
    query(tx, "select from pawl.shop_parcel where task_id = $1", [task.id]),
  );
  expect(left).toEqual([]);
});

test("invalid settings of a plugin, and two plugins with one name, are refused with a message", async () => {
  const { url } = database;
  await expect(openPawl({ url, plugins: [shop], settings: { shopCurrency: "euro" } })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: "settings.shopCurrency must be a currency of three letters.",
  });
  const hasty = Object.freeze({ ...shop, sweep: { intervalSeconds: () => NaN } });
  await expect(openPawl({ url, plugins: [hasty] })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: "sweep.intervalSeconds of shop must be a number from 0 to 2147483, not NaN.",
  });
  await expect(openPawl({ url, plugins: [shop, shop] })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: 'Two lifecycles are named "shop".',
  });
});

test.each([
  [
    "shopCurrency",
    "LETTER_CURRENCY",
    "shop and letters both have a setting named shopCurrency: rename one of them.",
  ],
  [
    "currency",
    "SHOP_CURRENCY",
    "shop and letters both read the environment variable SHOP_CURRENCY: rename one of them.",
  ],
  ["port", "LETTER_PORT", "Pawl and letters both have a setting named port: rename one of them."],
  [
    "currency",
    "PAWL_TOKEN",
    "Pawl and letters both read the environment variable PAWL_TOKEN: rename one of them.",
  ],
])("a setting %s from %s that another plugin or Pawl already has is refused", async (name, env, message) => {
  const setting = { ...shop.settings.shopCurrency, env };
  const letters = Object.freeze({
    ...shop,
    lifecycle: { ...shop.lifecycle, name: "letters" },
    settings: { [name]: setting },
  });
  await expect(openPawl({ url: database.url, plugins: [shop, letters] })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message,
  });
});

test("a test server that cannot start leaves no folder behind", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "pawl-"));
  vi.stubEnv("TMPDIR", scratch);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(scratch, { recursive: true });
  });
  await expect(startTestServer({ plugins: [shop, shop] })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
  });
  expect(await readdir(scratch)).toEqual([]);
});

const small = defineLifecycle({
  name: "small",
  version: 1,
  summary: "",
  facts: z.object({ weather: z.string().optional(), mood: z.string().optional() }),
  statuses: { open: {}, done: { final: true } },
  actions: { close: { facts: ["weather"] } },
  creation: {
    input: z.object({}),
    facts: ["mood"],
    to: [{ status: "open" }],
    draft: () => ({ title: "", data: {} }),
  },
  rules: [{ action: "close", from: "open", to: "done", who: "anyone" }],
});
const weather = () => Promise.resolve(["sunny"]);

test.each([
  [
    {},
    [
      'Nothing loads the fact "weather": add it to facts.',
      'Nothing loads the fact "mood" of a creation: add it to creationFacts.',
    ],
  ],
  [
    { facts: { weather, wether: weather }, creationFacts: { mood: weather } },
    ['No action reads the fact "wether"; did you mean "weather"?'],
  ],
  [
    { facts: { weather }, creationFacts: { mood: weather }, effects: { shout: "loud" } },
    ['The effect "shout" must be a function.'],
  ],
])("the mistakes of a plugin with the parts %o are reported", (parts, mistakes) => {
  let thrown: PawlError | undefined;
  try {
    definePlugin({ lifecycle: small, ...parts } as never);
  } catch (error) {
    thrown = error as PawlError;
  }
  expect(thrown).toMatchObject({ code: "INVALID_LIFECYCLE", params: { mistakes } });
});
