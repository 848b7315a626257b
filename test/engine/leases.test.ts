import { expect, test } from "vitest";
import type { Claimed } from "../../src/engine/write/claim.ts";
import planner from "../../src/lifecycles/planner/plugin.ts";
import { member } from "../support/situation.ts";
import { ann, bob, openTestEngine, EVERYBODY_IS_ACTIVE } from "./test-engine.ts";

const env = await openTestEngine({ parts: EVERYBODY_IS_ACTIVE });
let nonce = 0;
const job = (more = {}) =>
  env.make(bob, "delivery", {
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: String(nonce++),
    ...more,
  });

async function claimOne(actor = ann): Promise<{ id: string; lease_token: string }> {
  const claimed = (await env.engine.claim(env.by(actor), { lifecycle: "delivery" })) as Claimed;
  const [one] = claimed.tasks;
  return { id: one!.task.id, lease_token: one!.lease_token! };
}

test("a claim returns a new token that is never shown to other members", async () => {
  await job();
  const { id, lease_token } = await claimOne();
  const others = [
    await env.engine.find(env.by(bob), id),
    await env.engine.list(env.by(bob)),
    await env.engine.events(env.by(bob), id),
    await env.engine.explain(env.by(bob), id),
    await env.engine.feed(env.by(bob), { after: 0 }),
  ];
  expect(JSON.stringify(others)).not.toContain(lease_token);
  expect(await env.engine.find(env.by(bob), id)).toMatchObject({
    status: "CLAIMED",
    lease: { holder: "ann" },
  });
});

test("an action is refused without the token, and with it for anyone but its holder", async () => {
  await job();
  const task = await claimOne();
  const { lease_token } = task;
  expect(await env.act(ann, task, "start_download")).toBe("LEASE_TOKEN_REQUIRED");
  expect(await env.act(ann, task, "start_download", { lease_token: crypto.randomUUID() })).toBe("LEASE_LOST");
  expect(await env.act(bob, task, "start_download", { lease_token })).toBe("LEASE_LOST");
});

test("a former holder is refused with LEASE_LOST after its lease expired, and changes nothing", async () => {
  await job();
  const old = await claimOne();
  const { postponed } = await env.engine.sweep({ now: Date.now() + 61_000 });
  expect(postponed).toEqual([]);
  expect(await env.act(ann, old, "start_download", { lease_token: old.lease_token })).toBe("LEASE_LOST");
  const taken = await env.engine.perform(env.by(bob), { task_id: old.id, action: "claim" });
  expect(taken).toMatchObject({ task: { status: "CLAIMED", attempt: 1 } });
  const before = await env.sql`select * from pawl.task where id = ${old.id}`;
  for (const action of ["start_download", "release", "fail"]) {
    const payload = { error: { code: "X", retryable: true } };
    expect(await env.act(ann, old, action, { lease_token: old.lease_token, payload })).toBe("LEASE_LOST");
  }
  expect(await env.sql`select * from pawl.task where id = ${old.id}`).toEqual(before);
  expect(
    await env.engine.heartbeat(env.by(ann), [{ task_id: old.id, lease_token: old.lease_token }]),
  ).toEqual({
    extended: [],
    lost: [old.id],
  });
});

test("heartbeats renew many leases in one statement, and a sweep moves the timer of a renewed lease", async () => {
  for (let n = 0; n < 5; n++) await job();
  const held = [];
  for (let n = 0; n < 5; n++) held.push(await claimOne());
  const task_ids = held.map(({ id }) => id);
  // A heartbeat does not rewrite the task, so the task's timer stays unchanged.
  await env.sql`update pawl.task set due_at = now() - interval '1 second' where id = any(${task_ids})`;
  const beat = await env.engine.heartbeat(
    env.by(ann),
    [...held, { id: crypto.randomUUID(), lease_token: "nonsense" }].map(({ id, lease_token }) => ({
      task_id: id,
      lease_token,
    })),
  );
  expect(beat.extended).toHaveLength(5);
  expect(beat.lost).toHaveLength(1);
  expect(await env.engine.sweep()).toMatchObject({ checked: 5, postponed: [] });
  const rows = await env.sql<{ status: string; late: boolean }[]>`
    select status, due_at > now() + interval '50 seconds' as late from pawl.task where id = any(${task_ids})`;
  expect(rows.every((row) => row.status === "CLAIMED" && row.late)).toBe(true);
});

test("leaving a leased status ends the lease", async () => {
  await job();
  const task = await claimOne();
  expect(await env.act(ann, task, "release", { lease_token: task.lease_token })).toBe("QUEUED");
  expect(await env.sql`select from pawl.lease where task_id = ${task.id}`).toHaveLength(0);
});

test("a claim takes the best free task by priority, then age, and only one that fits the claimer", async () => {
  const planning = await openTestEngine({
    parts: {
      planner: {
        facts: {
          ...planner.facts,
          work_of_actor: (_tx, _org, asks) => Promise.resolve(asks.map(() => [])),
        },
      },
    },
  });
  const lead = member("lead", ["lead"]);
  const make = (title: string, more = {}) => planning.make(lead, "planner", { title, ...more });
  await make("old");
  await make("urgent", { priority: 5 });
  await make("welding", { priority: 9, required_trade: "welder" });
  const worker = (trades: string[]) => member("w", ["executor"], { skill_level: 5, specializations: trades });
  const take = async (trades: string[]) => {
    const claimed = await planning.engine.claim(planning.by(worker(trades)), {
      lifecycle: "planner",
      client_event_id: crypto.randomUUID(),
    });
    return claimed.kind === "claimed"
      ? (claimed.tasks[0]?.task.title ?? claimed.refusal?.code)
      : claimed.code;
  };
  expect(await take(["painter"])).toBe("urgent");
  // The worker still holds the first task: its exclusive key allows one at a time, whatever the facts are.
  expect(await take(["painter"])).toBe("VERSION_CONFLICT");
  await planning.sql`update pawl.task set exclusive_key = null`;
  expect(await take(["welder"])).toBe("welding");
});
