import { afterAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { defineRoutes } from "../../src/api/index.ts";
import { defineLifecycle, refuse } from "../../src/core/index.ts";
import { createClient } from "../../src/client/index.ts";
import { openPawl } from "../../src/main/index.ts";
import { startTestServer } from "../../src/main/testing.ts";
import { answer, definePlugin, serve, serveTaskRoutes, taskRoutes } from "../../src/plugin/index.ts";
import type { Plugin, PluginDefinition } from "../../src/plugin/index.ts";
import { testDatabases } from "../support/postgres.ts";

const databases = testDatabases(inject("postgresUrl"));
const database = await databases.createDatabase();
const { url } = database;
afterAll(async () => {
  await database.drop();
  await databases.close();
});

/** A lifecycle whose action `close` reads two facts and has a side effect. */
const parcel = <const Name extends string>(name: Name) =>
  defineLifecycle({
    name,
    version: 1,
    summary: "",
    facts: z.object({ weight: z.number().optional(), price: z.number().optional() }),
    statuses: { open: {}, closed: { final: true } },
    actions: { close: { facts: ["weight", "price"] } },
    creation: { input: z.object({}), to: [{ status: "open" }], draft: () => ({ title: "", data: {} }) },
    rules: [
      { action: "close", from: "open", to: "closed", who: "anyone", guards: ["weighed"], effects: ["label"] },
    ],
    permissions: { "task.create": ["agent"], "task.close": ["agent"] },
    guards: {
      weighed: ({ facts }) =>
        (facts.weight === 7 && facts.price === 7) || refuse("NOT_WEIGHED", `${facts.weight} ${facts.price}`),
    },
    effects: { label: { side_effects: () => [{ kind: "print_label" }] } },
    problems: { NOT_WEIGHED: { status: 409, title: "Not weighed", next: "Weigh it." } },
  });

type Parts = Partial<PluginDefinition<ReturnType<typeof parcel<string>>, Plugin["settings"]>>;
const sevens = (_tx: unknown, _org_id: string, requests: readonly unknown[]) =>
  Promise.resolve(requests.map(() => 7));
const pluginWith = (parts: Parts = {}, name = "parcel"): Plugin =>
  definePlugin({
    lifecycle: parcel(name),
    facts: { weight: sevens, price: sevens },
    effects: { print_label: () => Promise.resolve() },
    ...parts,
  });

async function serverWith(...plugins: Plugin[]) {
  const server = await startTestServer({ url, plugins });
  onTestFinished(() => server.stop());
  return server;
}

async function close(parts: Parts) {
  const server = await serverWith(pluginWith(parts));
  const { client } = await server.member({ id: "ann", roles: ["agent"] });
  const { id } = await client.createTask({ lifecycle: "parcel" });
  return client.moveTask({ id, action: "close" });
}

test("one function may load several facts", async () => {
  expect(await close({})).toMatchObject({ task: { status: "closed" } });
});

test.each<[string, Parts, string]>([
  [
    "a fact without a value for each request",
    { facts: { weight: () => Promise.resolve([]), price: sevens } },
    'Plugin "parcel": the fact "weight" must give one value for each of 1 requests, in their order; it gave 0 values.',
  ],
  [
    "a fact that gives no list",
    { facts: { weight: sevens, price: () => Promise.resolve(undefined as never) } },
    'Plugin "parcel": the fact "price" must give one value for each of 1 requests, in their order; it gave no list.',
  ],
  [
    "an effect with too many results",
    { effects: { print_label: () => Promise.resolve([1, 2]) } },
    'Plugin "parcel": the effect "print_label" must give one value for each of 1 requests, in their order; it gave 2 values.',
  ],
  [
    "an effect without a handler",
    { effects: {} },
    'Plugin "parcel": no handler for the effect "print_label": add it to effects.',
  ],
])("%s refuses the move and is named", async (_, parts, detail) => {
  await expect(close(parts)).rejects.toMatchObject({ code: "NOT_SET_UP", status: 501, detail });
});

test.each([[undefined], [null], ["parcel"], [{ name: "parcel" }], [{ lifecycle: { name: "parcel" } }]])(
  "%o in the list of plugins is refused in a sentence",
  async (given) => {
    await expect(openPawl({ url, plugins: [given as never] })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: "plugins must be a list of what defineLifecycle or definePlugin returns.",
    });
  },
);

test.each<[object, string]>([
  [{ migration: new URL("file:///tmp/") }, 'There is no part "migration"; did you mean "migrations"?'],
  [
    { migrations: "./migrations" },
    'migrations must be the URL of a folder, like new URL("./migrations/", import.meta.url).',
  ],
  [{ routes: [] }, "routes must be a function."],
  [
    { settings: { parcelSize: {} } },
    'The setting "parcelSize" needs env, schema, default, expected and description.',
  ],
  [{ sweep: () => undefined }, "sweep must be an object."],
  [
    { gauges: { "paid cents": { help: "Paid", labels: [], read: () => Promise.resolve([]) } } },
    'The gauge "paid cents" needs help, labels and read; names have lower-case letters, digits and _.',
  ],
  [{ facts: { weight: 3, price: sevens } }, 'The fact "weight" must be a function.'],
])("a plugin with the part %o is refused in a sentence", (part, mistake) => {
  expect(() => pluginWith(part)).toThrow(`Plugin "parcel": ${mistake}`);
});

test("a plugin without a lifecycle is refused in a sentence", () => {
  expect(() => definePlugin({} as never)).toThrow("definePlugin needs a lifecycle made by defineLifecycle.");
});

test("a plugin with migrations cannot have the name of Pawl itself", async () => {
  const pawl = pluginWith({ migrations: new URL("shop-migrations/", import.meta.url) }, "pawl");
  await expect(openPawl({ url, plugins: [pawl] })).rejects.toThrow(
    'Plugin "pawl": its migrations would be taken for those of Pawl; rename the lifecycle.',
  );
});

describe("routes", () => {
  const row = { method: "GET", group: "parcel", summary: "", replies: { 200: z.object({}) } } as const;
  const routesAt = (path: `/${string}`, more: object = {}, name = "weigh") => {
    const table = defineRoutes({ [name]: { ...row, path, ...more } });
    return () => [serve(table, { [name]: () => answer(200, {}) })];
  };

  test.each<[string, NonNullable<Parts["routes"]>, string]>([
    ["that throws", () => fail("no scales"), "its routes cannot be served: no scales"],
    [
      "with an address of Pawl",
      routesAt("/api/tasks/{task}"),
      "there is a route GET /api/tasks/{} of Pawl already; rename that of the plugin.",
    ],
    [
      "with a name of Pawl",
      routesAt("/api/parcel/tasks", {}, "listTasks"),
      "there is a route named listTasks of Pawl already; rename that of the plugin.",
    ],
    [
      "with an address of another plugin",
      routesAt("/api/letters"),
      'there is a route GET /api/letters of the plugin "letter" already; rename that of the plugin.',
    ],
    [
      "with an unknown permission",
      routesAt("/api/parcel", { permission: "task.clos" }),
      'its routes cannot be served: GET /api/parcel: there is no permission "task.clos"; did you mean "task.close"?',
    ],
  ])("a table %s is refused with the name of the plugin", async (_, routes, message) => {
    const letter = pluginWith({ routes: routesAt("/api/letters", {}, "readLetter") }, "letter");
    await expect(startTestServer({ url, plugins: [letter, pluginWith({ routes })] })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: `Plugin "parcel": ${message}`,
    });
  });

  test("a token for one task opens no other task, whatever the word for a task is", async () => {
    const routes = { create: {}, get: { confined: ["task"] } } as const;
    const parcels = taskRoutes({ prefix: "/api", lifecycle: parcel("parcel"), noun: "parcel", routes });
    const server = await serverWith(pluginWith({ routes: (host) => [serveTaskRoutes(parcels, host, {})] }));
    const { client } = await server.member({ id: "ann", roles: ["agent"] });
    const { createParcelParcel } = client.calls(parcels.table);
    const [own, other] = [await createParcelParcel({}), await createParcelParcel({})];
    const { token } = await server.pawl.directory.issueConfinedToken(await server.pawl.as("ann"), {
      member_id: "ann",
      confined_to: { kind: "task", task_id: own.id },
    });
    const { getParcelParcel } = createClient({ url: server.url, token }).calls(parcels.table);
    expect(await getParcelParcel({ id: own.id })).toMatchObject({ id: own.id });
    await expect(getParcelParcel({ id: other.id })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });
});

test("a sweep that throws at once does not stop those of other plugins", async () => {
  const run = vi.fn(() => Promise.resolve());
  const server = await serverWith(
    pluginWith({ sweep: { run: () => fail("no broom") } }),
    pluginWith({ sweep: { run } }, "letter"),
  );
  await expect(server.pawl.sweep()).rejects.toThrow("no broom");
  expect(run).toHaveBeenCalledOnce();
});

test("a sweep that never ends stops neither those of other plugins nor the end of the process", async () => {
  const run = vi.fn(() => Promise.resolve());
  const endless = pluginWith({ sweep: { run: () => new Promise<void>(() => undefined) } });
  const plugins = [endless, pluginWith({ sweep: { run } }, "letter")];
  const pawl = await openPawl({ url, plugins, sweepSeconds: 0.02, reconcileSeconds: 0 });
  await vi.waitFor(() => {
    expect(run.mock.calls.length).toBeGreaterThan(2);
  });
  await pawl.close();
});

function fail(message: string): never {
  throw new Error(message);
}

describe("retention", () => {
  const order = { lifecycle: "order" };
  const failing = { prune: { keep: () => Promise.reject(new Error("no connection to the archive")) } };
  const endless = {
    prune: {
      removeOld: (_tx: unknown, _org: string, { limit }: { limit: number }) => Promise.resolve(limit),
    },
  };

  test("a plugin whose part fails keeps its own tasks, and those of the others are deleted", async () => {
    const pawl = await openPawl({
      url,
      plugins: [pluginWith(failing), pluginWith({}, "order")],
      sweepSeconds: 0,
      reconcileSeconds: 0,
    });
    onTestFinished(() => pawl.close());
    await pawl.createMember({ id: "pat", roles: ["agent"] });
    const caller = await pawl.as("pat");
    const created = await pawl.create(caller, [
      { lifecycle: "parcel", title: "a" },
      { ...order, title: "b" },
    ]);
    if (created.kind === "refused") throw new Error(created.detail);
    const [parcel, other] = created.tasks;
    for (const task of [parcel, other])
      expect(await pawl.perform(caller, { task_id: String(task?.id), action: "close" })).toMatchObject({
        kind: "performed",
      });
    const { failed } = await pawl.prune({ org_id: "main", before: Date.now() + 1_000 });
    expect(failed).toContainEqual({
      task_id: parcel?.id,
      why: 'Plugin "parcel": Error: no connection to the archive',
    });
    expect(await pawl.find(caller, String(parcel?.id))).toMatchObject({ status: "closed" });
    expect(await pawl.find(caller, String(other?.id))).toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  test("a plugin whose old rows never end does not keep retention from ending", async () => {
    const pawl = await openPawl({
      url,
      plugins: [pluginWith(endless)],
      sweepSeconds: 0,
      reconcileSeconds: 0,
    });
    onTestFinished(() => pawl.close());
    await expect(pawl.prune({ org_id: "main", before: Date.now() })).resolves.toMatchObject({ failed: [] });
  });
});
