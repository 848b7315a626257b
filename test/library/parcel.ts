import { afterAll, inject } from "vitest";
import { z } from "zod";
import { defineLifecycle, definePlugin } from "../../src/main/index.ts";
import { testDatabases } from "../support/postgres.ts";

/** A lifecycle with a pool, leases, payloads and data. */
export const parcel = defineLifecycle({
  name: "parcel",
  version: 1,
  summary: "Parcels to pack",
  data: z.object({ address: z.string(), label: z.string().nullable() }),
  settings: z.object({ lease_seconds: z.number().positive().default(6) }),
  statuses: {
    waiting: {},
    packing: {
      lease: true,
      timers: [{ action: "expire", since: "heartbeat_at", after: { seconds: "lease_seconds" } }],
    },
    packed: { final: true, success: true },
    failed: { final: true },
  },
  lease: { lasts: { seconds: "lease_seconds" } },
  actions: {
    take: {},
    pack: { input: z.object({ label: z.string().min(1) }) },
    release: {},
    give_up: { comment: "required" },
    expire: {},
  },
  creation: {
    input: z.object({ title: z.string(), address: z.string() }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: { address: input.address, label: null } }),
  },
  rules: [
    { action: "take", from: "waiting", to: "packing", who: "anyone", effects: ["assign_actor"] },
    { action: "pack", from: "packing", to: "packed", who: "lease_holder", effects: ["keep_label"] },
    { action: "release", from: "packing", to: "waiting", who: "lease_holder", effects: ["clear_assignee"] },
    { action: "give_up", from: "packing", to: "failed", who: "lease_holder" },
    {
      action: "expire",
      from: "packing",
      to: "waiting",
      who: "system",
      guards: ["due"],
      effects: ["clear_assignee"],
    },
  ],
  permissions: { "task.expire": ["system"] },
  effects: { keep_label: ({ input }) => ({ data: { label: input.label ?? null } }) },
  pool: { action: "take", from: "waiting", where: [{ field: "assigned_to", is: null }] },
});

/** A second lifecycle, without a pool, inside a plugin. */
export const note = definePlugin({
  lifecycle: defineLifecycle({
    name: "note",
    version: 1,
    summary: "Notes",
    data: z.object({ text: z.string() }),
    statuses: { open: {}, read: { final: true } },
    actions: { read: {} },
    creation: {
      input: z.object({ text: z.string() }),
      to: [{ status: "open" }],
      draft: ({ input }) => ({ title: "note", data: { text: input.text } }),
    },
    rules: [{ action: "read", from: "open", to: "read", who: "anyone" }],
  }),
});

/** Creates a database for the test file and returns its URL. */
export async function newDatabase(): Promise<string> {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  afterAll(async () => {
    await database.drop();
    await databases.close();
  });
  return database.url;
}

/** Options of a node whose timers run only on request. */
export const QUIET = { sweepSeconds: 0, reconcileSeconds: 0 } as const;
