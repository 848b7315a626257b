import { z } from "zod";
import { defineLifecycle, definePlugin, refuse } from "../../../src/main/index.ts";
import type { EnginePlugin, PawlOptions } from "../../../src/main/index.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { query } from "../../../src/plugin/index.ts";

const MAX_NOTES = 3;
const MAX_ATTEMPTS = 2;

const reasons = z.object({ reason: z.string().optional(), blocker_id: z.string().optional() });

/**
 * A lifecycle with every kind of decision: plain moves, guards that read data, facts or the input, effects on other tables,
 * effects that create tasks, leases, attempts, timers, holds, exclusive keys, a pool, and dependents.
 */
export const job = defineLifecycle({
  name: "job",
  version: 1,
  summary: "",
  data: z.object({
    color: z.string(),
    trade: z.string().nullable(),
    notes: z.number(),
    hold_ids: z.array(z.string()),
  }),
  facts: z.object({ notes: z.number() }),
  statuses: {
    waiting: {},
    open: {
      timers: [{ action: "remind", since: "entered_at", after: { hours: 2 }, unless_attended: true }],
    },
    running: { lease: true, timers: [{ action: "expire", since: "heartbeat_at", after: { minutes: 5 } }] },
    done: { final: true, success: true },
    dropped: { final: true },
  },
  actions: {
    go: {},
    warn: { input: reasons },
    remind: {},
    expire: {},
    claim: {},
    paint: { input: z.object({ color: z.enum(["red", "green", "blue"]).default("red") }) },
    note: { input: z.object({ text: z.string() }), facts: ["notes"] },
    hold: { input: z.object({ hold_id: z.uuid() }) },
    free: { input: z.object({ hold_id: z.uuid() }), facts: ["holds"] },
    reserve: { input: z.object({ slot: z.number() }) },
    spawn: { input: z.object({ title: z.string() }) },
    ping: {},
    ignore: {},
    give_up: {},
    finish: {},
    close: {},
    drop: { input: reasons },
    remark: {},
  },
  creation: {
    input: z.object({
      title: z.string().default("A job"),
      priority: z.number().default(0),
      trade: z.string().nullish(),
      private: z.boolean().default(false),
      after: z.array(z.string()).default([]),
      key: z.string().nullish(),
    }),
    blockers_field: "after",
    to: [{ status: "open", guards: ["blockers_done"] }, { status: "waiting" }],
    draft: ({ input }) => ({
      title: input.title,
      priority: input.priority,
      private: input.private,
      data: { color: "white", trade: input.trade ?? null, notes: 0, hold_ids: [] },
      blocked_by: input.after,
      dedupe_key: input.key ?? null,
    }),
  },
  rules: [
    { action: "go", from: "waiting", to: "open", who: "system", guards: ["blockers_done", "no_holds"] },
    { action: "warn", from: "waiting", who: "system", effects: ["raise_attention"] },
    { action: "remind", from: "open", who: "system", guards: ["due"], effects: ["raise_attention"] },
    {
      action: "expire",
      from: "running",
      to: "open",
      who: "system",
      guards: ["due", "attempts_left"],
      effects: ["count_attempt", "clear_assignee"],
    },
    { action: "expire", from: "running", to: "dropped", who: "system", guards: ["due"] },
    {
      action: "claim",
      from: "open",
      to: "running",
      who: "anyone",
      guards: ["blockers_done"],
      effects: ["assign_actor"],
    },
    {
      action: "paint",
      from: ["open", "running"],
      who: "anyone",
      guards: ["other_color"],
      effects: ["paint"],
    },
    { action: "note", from: ["open", "running"], who: "anyone", guards: ["few_notes"], effects: ["note"] },
    { action: "hold", from: ["waiting", "open"], who: "anyone", effects: ["place"] },
    { action: "free", from: ["waiting", "open"], who: "anyone", guards: ["is_held"], effects: ["lift"] },
    { action: "reserve", from: "open", who: "anyone", effects: ["reserve"] },
    { action: "spawn", from: "open", who: "anyone", effects: ["spawn"] },
    { action: "ping", from: ["open", "running"], who: "anyone", outcome: "touched" },
    { action: "ignore", from: ["open", "running"], who: "anyone", outcome: "absorbed" },
    {
      action: "give_up",
      from: "running",
      to: "open",
      who: "lease_holder",
      guards: ["attempts_left"],
      effects: ["count_attempt", "clear_assignee"],
    },
    { action: "give_up", from: "running", to: "dropped", who: "lease_holder" },
    { action: "finish", from: "running", to: "done", who: "lease_holder", effects: ["release"] },
    { action: "close", from: "open", to: "done", who: "anyone", effects: ["release"] },
    {
      action: "drop",
      from: ["waiting", "open"],
      to: "dropped",
      who: ["anyone", "system"],
      effects: ["release"],
    },
    { action: "remark", from: ["done", "dropped"], who: "anyone" },
  ],
  guards: {
    other_color: ({ task, input }) =>
      task.data.color !== input.color || refuse("INVALID_TRANSITION", "It has this color already."),
    few_notes: ({ facts }) => facts.notes < MAX_NOTES || refuse("INVALID_TRANSITION", "It has enough notes."),
    is_held: ({ facts, input }) =>
      (facts.holds ?? []).some(({ id }) => id === input.hold_id) ||
      refuse("INVALID_TRANSITION", "There is no such hold."),
    attempts_left: ({ task }) =>
      task.attempt + 1 < MAX_ATTEMPTS || refuse("INVALID_TRANSITION", "There is no attempt left."),
  },
  effects: {
    paint: ({ input }) => ({ data: { color: input.color ?? "" } }),
    note: {
      change: ({ facts }) => ({ data: { notes: facts.notes + 1 } }),
      side_effects: ({ input }) => [{ kind: "write_note", text: input.text }],
    },
    place: {
      change: ({ task, input }) => ({
        open_holds: task.open_holds + 1,
        data: { hold_ids: [...task.data.hold_ids, input.hold_id ?? ""] },
      }),
      side_effects: ({ input }) => [{ kind: "place_hold", hold_id: input.hold_id, hold_kind: "other" }],
    },
    lift: {
      change: ({ task, input }) => ({
        open_holds: task.open_holds - 1,
        data: { hold_ids: task.data.hold_ids.filter((id) => id !== input.hold_id) },
      }),
      side_effects: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
    },
    reserve: ({ input }) => ({ exclusive_key: `slot ${input.slot ?? 0}` }),
    release: () => ({ exclusive_key: null }),
    spawn: { side_effects: ({ input }) => [{ kind: "create_job", title: input.title }] },
  },
  lease: { lasts: { minutes: 5 } },
  pool: {
    action: "claim",
    from: "open",
    where: [
      { field: "open_blockers", is: 0 },
      { field: "data.trade", null_or_in: "actor.specializations" },
    ],
  },
  unblocks: { from: "waiting", action: "go", flag: "warn", fail: "drop" },
});

/** The table that the effect `note` writes and the fact `notes` reads. */
export const JOB_TABLES = `
  create table public.job_note (org_id text not null, task_id uuid not null, text text not null);
  create index job_note_task on public.job_note (org_id, task_id)`;

export const jobParts = {
  facts: {
    notes: async (tx, org_id, asks) => {
      const rows = await query<{ task_id: string; notes: number }>(
        tx,
        `select n.task_id, count(*)::int as notes from public.job_note n
         where n.org_id = $1 and n.task_id = any($2::text::uuid[]) group by n.task_id`,
        [org_id, `{${asks.map(({ task }) => task.id).join(",")}}`],
      );
      const counts = new Map(rows.map((row) => [row.task_id, row.notes]));
      return asks.map(({ task }) => counts.get(task.id) ?? 0);
    },
  },
  effects: {
    write_note: async (tx, items) => {
      for (const { org_id, task, effect } of items)
        await query(tx, `insert into public.job_note (org_id, task_id, text) values ($1, $2, $3)`, [
          org_id,
          task.id,
          String(effect.text),
        ]);
    },
    create_job: async (_, items, __, makeTasks) => {
      for (const { actor, task, effect } of items)
        await makeTasks(actor, [
          { lifecycle: "job", project_id: task.project_id, title: String(effect.title) },
        ]);
    },
  },
} satisfies Omit<EnginePlugin, "lifecycle">;

/** Options of a node that serves this lifecycle. Timers and repairs run only on request. */
export function nodeOptions(url: string): PawlOptions {
  return {
    url,
    plugins: [...PLUGINS, definePlugin({ lifecycle: job, ...jobParts })],
    sweepSeconds: 0,
    reconcileSeconds: 0,
  };
}
