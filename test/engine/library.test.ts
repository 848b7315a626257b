import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { board } from "../../src/lifecycles/board/index.ts";
import { botActions } from "../../src/lifecycles/bot-actions/index.ts";
import { openPawl } from "../../src/main/index.ts";
import { query } from "../../src/plugin/index.ts";
import { ann, cat, openTestEngine, performed } from "./test-engine.ts";

test("openPawl runs in the user's process on the embedded database, and data survives a restart", async () => {
  const data = await mkdtemp(join(tmpdir(), "pawl-library-"));
  const first = await openPawl({ data, plugins: [board], sweepSeconds: 0 });
  await first.createMember({ id: "ann", roles: ["agent"] });
  const caller = await first.as("ann");
  const created = await first.create(caller, [{ lifecycle: "board", title: "Write it", description: "all" }]);
  if (created.kind === "refused") throw new Error(created.detail);
  const [task] = created.tasks;
  expect(await first.perform(caller, { task_id: task!.id, action: "claim", comment: "mine" })).toMatchObject({
    kind: "performed",
  });
  await first.close();
  await first.close();

  const second = await openPawl({ data, plugins: [board], sweepSeconds: 0 });
  expect(await second.find(await second.as("ann"), task!.id)).toMatchObject({
    status: "IN_PROGRESS",
    assigned_to: "ann",
  });
  await expect(second.as("nobody")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await second.close();
  await rm(data, { recursive: true });
});

test.each([
  [
    { url: undefined, data: undefined },
    "The option url is undefined: set the variable that it comes from, or name the folder of an embedded database with `data`.",
  ],
  [{ sweepSeconds: NaN }, "sweepSeconds must be a number from 0 to 2147483, not NaN."],
  [
    { plugins: [botActions], settings: { botActionWatchdogIntervalMinutes: 1e9 } },
    "settings.botActionWatchdogIntervalMinutes must be a number of minutes above 0, at most 10080 (a week).",
  ],
  [{ reconcileSeconds: -1 }, "reconcileSeconds must be a number from 0 to 2147483, not -1."],
  [{ retryTimeoutMs: Infinity }, "retryTimeoutMs must be a number from 0 to 2147483647, not Infinity."],
  [{ statementTimeoutMs: 0 }, "statementTimeoutMs must be a number from 1 to 2147483647, not 0."],
  [{ retention: { days: NaN } }, "retention.days must be a number from 0 to 36500, not NaN."],
  [{ retention: { days: null } }, "retention.days must be a number from 0 to 36500, not null."],
  [{ retention: {} }, "retention.days must be a number from 0 to 36500, not undefined."],
  [{ maxConnections: NaN }, "maxConnections must be a whole number from 1 to 1000, not NaN."],
  [{ maxConnections: 2.5 }, "maxConnections must be a whole number from 1 to 1000, not 2.5."],
  [{ maxConnections: null }, "maxConnections must be a whole number from 1 to 1000, not null."],
  [{ port: 70_000 }, "port must be a whole number from 1 to 65535, not 70000."],
  [{ connectTimeoutSeconds: NaN }, "connectTimeoutSeconds must be a number from 0 to 2147483, not NaN."],
  [{ sweepSeconds: "5" }, "sweepSeconds must be a number from 0 to 2147483, not 5."],
] as [object, string][])("openPawl refuses %o", async (options, message) => {
  await expect(openPawl({ data: "/nonexistent", ...options })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message,
  });
});

const env = await openTestEngine();
await env.sql`create table shop_order (id int primary key, task_id uuid)`;
const task = { lifecycle: "board", title: "Pack the order", description: "x" };

test("create and perform in the caller's transaction are committed with it", async () => {
  const id = await env.sql.begin(async (tx) => {
    const created = await env.engine.create(env.by(cat), [task], { tx });
    if (created.kind === "refused") throw new Error(created.detail);
    await tx`insert into shop_order values (1, ${created.tasks[0]!.id})`;
    performed(
      await env.engine.perform(
        env.by(ann),
        { task_id: created.tasks[0]!.id, action: "claim", comment: "x" },
        { tx },
      ),
    );
    return created.tasks[0]!.id;
  });
  expect(await env.engine.find(env.by(ann), id)).toMatchObject({ status: "IN_PROGRESS", row_version: 2 });
});

test("a payload nested 5,000 deep is refused, even for an unknown task or with a used idempotency key", async () => {
  const { id } = await env.make(cat, "board", { title: "Pack the order", description: "x" });
  const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) as unknown;
  const refused = { kind: "refused", code: "VALIDATION_ERROR" };
  expect(await env.engine.create(env.by(cat), [{ ...task, deep }])).toMatchObject(refused);
  const used = { action: "comment", comment: "x", client_event_id: "used" };
  performed(await env.engine.perform(env.by(ann), { ...used, task_id: id }));
  for (const task_id of [id, "0197a000-0000-7000-8000-000000000001", "nowhere"])
    expect(await env.engine.perform(env.by(ann), { ...used, task_id, payload: { deep } })).toMatchObject(
      refused,
    );
});

test("create inside the caller's transaction is rolled back with it", async () => {
  let id = "";
  const failing = env.sql.begin(async (tx) => {
    const created = await env.engine.create(env.by(cat), [task], { tx });
    id = created.kind === "created" ? created.tasks[0]!.id : "";
    await tx`insert into shop_order values (1, null)`;
  });
  await expect(failing).rejects.toMatchObject({ code: "23505" });
  expect(await env.engine.find(env.by(cat), id)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect((await env.engine.verify("main")).differences).toEqual([]);
});

test("concurrent commands in one transaction run one after the other", async () => {
  const created = await env.make(cat, "board", task);
  const outcomes = await env.sql.begin(async (tx) => {
    const claims = [1, 2, 3].map(() => ({ task_id: created.id, action: "claim", comment: "x" }));
    const answers = await env.engine.performMany(env.by(ann), claims, { tx });
    return answers.map((answer) => (answer.kind === "refused" ? answer.code : answer.task.status));
  });
  expect(outcomes).toEqual(["IN_PROGRESS", "TASK_ALREADY_CLAIMED", "TASK_ALREADY_CLAIMED"]);
});

test("a constraint violation inside the caller's transaction is a refusal, and the transaction stays usable", async () => {
  const job = { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "n" };
  await env.sql.begin(async (tx) => {
    expect(await env.engine.create(env.by(cat), [job, job], { tx })).toMatchObject({ kind: "refused" });
    expect(await env.engine.create(env.by(cat), [task], { tx })).toMatchObject({ kind: "created" });
  });
});

test("accepts a transaction of a client that Pawl did not create", async () => {
  const { default: postgres } = await import("postgres");
  const { searchParams, pathname, username } = new URL(env.url);
  const plain = postgres({
    host: searchParams.get("host") ?? "",
    database: pathname.slice(1),
    username,
    max: 1,
  });
  await plain.begin(async (tx) => {
    const created = await env.engine.create(env.by(cat), [task], { tx });
    if (created.kind === "refused") throw new Error(created.detail);
    const claim = { task_id: created.tasks[0]!.id, action: "claim", comment: "x" };
    const done = performed(await env.engine.perform(env.by(ann), claim, { tx }));
    expect(done.task.due_at! - done.task.updated_at).toBe(1440 * 60_000);
  });
  await plain.end();
});

test("a lifecycle's effects write to its own tables in the same transaction, with one call per batch", async () => {
  const parcel = defineLifecycle({
    name: "parcel",
    version: 1,
    summary: "",
    statuses: { packed: {}, sent: { final: true } },
    actions: { send: { input: z.object({ weight: z.number() }), facts: ["scale"] } },
    facts: z.object({ scale: z.object({ max: z.number() }) }),
    creation: { input: z.object({}), to: [{ status: "packed" }], draft: () => ({ title: "p", data: {} }) },
    rules: [
      { action: "send", from: "packed", to: "sent", who: "anyone", guards: ["light"], effects: ["label"] },
    ],
    guards: {
      light: ({ input, facts }) =>
        (input.weight ?? 0) <= facts.scale.max || {
          kind: "refused",
          code: "TOO_HEAVY",
          detail: "too heavy",
          params: {},
        },
    },
    effects: { label: { side_effects: ({ input }) => [{ kind: "print_label", weight: input.weight }] } },
  });
  const calls: number[] = [];
  const parcels = await openTestEngine({
    lifecycles: [parcel],
    parts: {
      parcel: {
        facts: { scale: (_tx, _org, asks) => Promise.resolve(asks.map(() => ({ max: 10 }))) },
        effects: {
          print_label: async (tx, items) => {
            calls.push(items.length);
            for (const { task, effect } of items)
              await query(tx, "insert into label values ($1, $2)", [task.id, effect.weight]);
          },
        },
      },
    },
  });
  await parcels.sql`create table label (task_id uuid primary key, weight int check (weight <> 7))`;
  const tasks = await Promise.all(Array.from({ length: 20 }, () => parcels.make(cat, "parcel")));
  const sent = await Promise.all(
    tasks.map(({ id }, weight) => parcels.act(ann, { id }, "send", { payload: { weight } })),
  );
  // A check constraint refuses the weight 7: this command fails, and the others in its batch succeed.
  const expected = (weight: number) =>
    weight > 10 ? "TOO_HEAVY" : weight === 7 ? "VERSION_CONFLICT" : "sent";
  expect(sent).toEqual(tasks.map((_, weight) => expected(weight)));
  expect(calls[0]).toBe(11);
  expect(await parcels.sql`select from label`).toHaveLength(10);
  expect((await parcels.engine.verify("main")).differences).toEqual([]);
});
