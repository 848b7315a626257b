import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { openPawl } from "../../src/main/index.ts";
import { ann, cat, openDesk, performed } from "./desk.ts";

test("openPawl runs in a user's own process, on the embedded database, and keeps what it was given", async () => {
  const data = await mkdtemp(join(tmpdir(), "pawl-library-"));
  const first = await openPawl({ data, sweepSeconds: 0 });
  await first.createMember({ id: "ann", roles: ["agent"] });
  const by = await first.as("ann");
  const made = await first.create(by, [{ lifecycle: "board", title: "Write it", description: "all" }]);
  if (made.kind === "refused") throw new Error(made.detail);
  const [task] = made.tasks;
  performed(await first.perform(by, { task_id: task!.id, action: "claim", comment: "mine" }));
  await first.close();
  await first.close();

  const second = await openPawl({ data, sweepSeconds: 0 });
  expect(await second.find(await second.as("ann"), task!.id)).toMatchObject({
    status: "IN_PROGRESS",
    assigned_to: "ann",
  });
  await expect(second.as("nobody")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await second.close();
  await rm(data, { recursive: true });
});

test.each([
  [{ sweepSeconds: NaN }, "sweepSeconds must be a number from 0 to 2147483, not NaN."],
  [
    { settings: { botActionWatchdogIntervalMinutes: 1e9 } },
    "settings.botActionWatchdogIntervalMinutes must be a number of minutes above 0, up to a week.",
  ],
  [{ reconcileSeconds: -1 }, "reconcileSeconds must be a number from 0 to 2147483, not -1."],
  [{ patienceMs: Infinity }, "patienceMs must be a number from 0 to 2147483647, not Infinity."],
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

const desk = await openDesk();
await desk.sql`create table shop_order (id int primary key, task_id uuid)`;
const task = { lifecycle: "board", title: "Pack the order", description: "x" };

test("create and perform inside the caller's transaction are kept with it", async () => {
  const id = await desk.sql.begin(async (tx) => {
    const made = await desk.engine.create(desk.by(cat), [task], { tx });
    if (made.kind === "refused") throw new Error(made.detail);
    await tx`insert into shop_order values (1, ${made.tasks[0]!.id})`;
    performed(
      await desk.engine.perform(
        desk.by(ann),
        { task_id: made.tasks[0]!.id, action: "claim", comment: "x" },
        { tx },
      ),
    );
    return made.tasks[0]!.id;
  });
  expect(await desk.engine.find(desk.by(ann), id)).toMatchObject({ status: "IN_PROGRESS", row_version: 2 });
});

test("a payload nested 5,000 deep is refused, even for an unknown task or with a used key", async () => {
  const { id } = await desk.make(cat, "board", { title: "Pack the order", description: "x" });
  const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) as unknown;
  const refused = { kind: "refused", code: "VALIDATION_ERROR" };
  expect(await desk.engine.create(desk.by(cat), [{ ...task, deep }])).toMatchObject(refused);
  const used = { action: "comment", comment: "x", client_event_id: "used" };
  performed(await desk.engine.perform(desk.by(ann), { ...used, task_id: id }));
  for (const task_id of [id, "0197a000-0000-7000-8000-000000000001", "nowhere"])
    expect(await desk.engine.perform(desk.by(ann), { ...used, task_id, payload: { deep } })).toMatchObject(
      refused,
    );
});

test("and are gone with it", async () => {
  let id = "";
  const failing = desk.sql.begin(async (tx) => {
    const made = await desk.engine.create(desk.by(cat), [task], { tx });
    id = made.kind === "created" ? made.tasks[0]!.id : "";
    await tx`insert into shop_order values (1, null)`;
  });
  await expect(failing).rejects.toMatchObject({ code: "23505" });
  expect(await desk.engine.find(desk.by(cat), id)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect((await desk.engine.verify("main")).differences).toEqual([]);
});

test("commands sent at once inside one transaction are done one after the other", async () => {
  const made = await desk.make(cat, "board", task);
  const words = await desk.sql.begin(async (tx) => {
    const claims = [1, 2, 3].map(() => ({ task_id: made.id, action: "claim", comment: "x" }));
    const answers = await desk.engine.performMany(desk.by(ann), claims, { tx });
    return answers.map((answer) => (answer.kind === "refused" ? answer.code : answer.task.status));
  });
  expect(words).toEqual(["IN_PROGRESS", "TASK_ALREADY_CLAIMED", "TASK_ALREADY_CLAIMED"]);
});

test("what the database refuses inside the caller's transaction is a refusal, and the rest of it lives on", async () => {
  const job = { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "n" };
  await desk.sql.begin(async (tx) => {
    expect(await desk.engine.create(desk.by(cat), [job, job], { tx })).toMatchObject({ kind: "refused" });
    expect(await desk.engine.create(desk.by(cat), [task], { tx })).toMatchObject({ kind: "created" });
  });
});

test("a transaction of any client of the same driver will do", async () => {
  const { default: postgres } = await import("postgres");
  const { searchParams, pathname, username } = new URL(desk.url);
  const plain = postgres({
    host: searchParams.get("host") ?? "",
    database: pathname.slice(1),
    username,
    max: 1,
  });
  await plain.begin(async (tx) => {
    const made = await desk.engine.create(desk.by(cat), [task], { tx });
    if (made.kind === "refused") throw new Error(made.detail);
    const claim = { task_id: made.tasks[0]!.id, action: "claim", comment: "x" };
    const done = performed(await desk.engine.perform(desk.by(ann), claim, { tx }));
    expect(done.task.due_at! - done.task.updated_at).toBe(1440 * 60_000);
  });
  await plain.end();
});

test("effects of a lifecycle write tables of its own in the same transaction, one call for a whole batch", async () => {
  const parcel = defineLifecycle({
    name: "parcel",
    version: 1,
    summary: "",
    statuses: { packed: {}, sent: { final: true } },
    actions: { send: { input: z.object({ weight: z.number() }), facts: ["scale"] } },
    facts: z.object({ scale: z.object({ most: z.number() }) }),
    creation: { input: z.object({}), to: [{ status: "packed" }], draft: () => ({ title: "p", data: {} }) },
    rules: [
      { action: "send", from: "packed", to: "sent", who: "anyone", guards: ["light"], effects: ["label"] },
    ],
    guards: {
      light: ({ input, facts }) =>
        (input.weight ?? 0) <= facts.scale.most || {
          kind: "refused",
          code: "TOO_HEAVY",
          detail: "too heavy",
          params: {},
        },
    },
    effects: { label: { also: ({ input }) => [{ kind: "print_label", weight: input.weight }] } },
  });
  const calls: number[] = [];
  const post = await openDesk({
    lifecycles: [parcel],
    parts: {
      parcel: {
        facts: { scale: (_tx, _org, asks) => Promise.resolve(asks.map(() => ({ most: 10 }))) },
        effects: {
          print_label: async (tx, items) => {
            calls.push(items.length);
            for (const { task, effect } of items)
              await tx`insert into label values (${task.id}, ${effect.weight as number})`;
          },
        },
      },
    },
  });
  await post.sql`create table label (task_id uuid primary key, weight int check (weight <> 7))`;
  const tasks = await Promise.all(Array.from({ length: 20 }, () => post.make(cat, "parcel")));
  const sent = await Promise.all(
    tasks.map(({ id }, weight) => post.act(ann, { id }, "send", { payload: { weight } })),
  );
  // 7 is refused by the effect's own table: it fails alone, and its neighbours are sent.
  const word = (weight: number) => (weight > 10 ? "TOO_HEAVY" : weight === 7 ? "VERSION_CONFLICT" : "sent");
  expect(sent).toEqual(tasks.map((_, weight) => word(weight)));
  expect(calls[0]).toBe(11);
  expect(await post.sql`select from label`).toHaveLength(10);
  expect((await post.engine.verify("main")).differences).toEqual([]);
});
