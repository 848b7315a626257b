import { expect, test } from "vitest";
import type { Claimed } from "../../src/engine/write/claim.ts";
import planner from "../../src/lifecycles/planner/plugin.ts";
import { member } from "../support/situation.ts";
import { ann, bob, openDesk, EVERYBODY_IS_ACTIVE } from "./desk.ts";

const desk = await openDesk({ parts: EVERYBODY_IS_ACTIVE });
let nonce = 0;
const job = (more = {}) =>
  desk.make(bob, "delivery", {
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: String(nonce++),
    ...more,
  });

async function claimOne(actor = ann): Promise<{ id: string; lease_token: string }> {
  const claimed = (await desk.engine.claim(desk.by(actor), { lifecycle: "delivery" })) as Claimed;
  const [one] = claimed.tasks;
  return { id: one!.task.id, lease_token: one!.lease_token! };
}

test("a claim carries a fresh token that nobody else is ever shown", async () => {
  await job();
  const { id, lease_token } = await claimOne();
  const others = [
    await desk.engine.find(desk.by(bob), id),
    await desk.engine.list(desk.by(bob)),
    await desk.engine.events(desk.by(bob), id),
    await desk.engine.explain(desk.by(bob), id),
    await desk.engine.feed(desk.by(bob), { after: 0 }),
  ];
  expect(JSON.stringify(others)).not.toContain(lease_token);
  expect(await desk.engine.find(desk.by(bob), id)).toMatchObject({
    status: "CLAIMED",
    lease: { holder: "ann" },
  });
});

test("without the token nothing moves; with it only its holder does", async () => {
  await job();
  const task = await claimOne();
  const { lease_token } = task;
  expect(await desk.act(ann, task, "start_download")).toBe("LEASE_TOKEN_REQUIRED");
  expect(await desk.act(ann, task, "start_download", { lease_token: crypto.randomUUID() })).toBe(
    "LEASE_LOST",
  );
  expect(await desk.act(bob, task, "start_download", { lease_token })).toBe("LEASE_LOST");
});

test("an old holder is refused as LEASE_LOST once the task was taken back, and changes nothing", async () => {
  await job();
  const old = await claimOne();
  const { put_off } = await desk.engine.sweep({ now: Date.now() + 61_000 });
  expect(put_off).toEqual([]);
  expect(await desk.act(ann, old, "start_download", { lease_token: old.lease_token })).toBe("LEASE_LOST");
  const taken = await desk.engine.perform(desk.by(bob), { task_id: old.id, action: "claim" });
  expect(taken).toMatchObject({ task: { status: "CLAIMED", attempt: 1 } });
  const before = await desk.sql`select * from pawl.task where id = ${old.id}`;
  for (const action of ["start_download", "release", "fail"]) {
    const payload = { error: { code: "X", retryable: true } };
    expect(await desk.act(ann, old, action, { lease_token: old.lease_token, payload })).toBe("LEASE_LOST");
  }
  expect(await desk.sql`select * from pawl.task where id = ${old.id}`).toEqual(before);
  expect(
    await desk.engine.heartbeat(desk.by(ann), [{ task_id: old.id, lease_token: old.lease_token }]),
  ).toEqual({
    extended: [],
    lost: [old.id],
  });
});

test("heartbeats renew many leases in one statement, and a timer that finds a younger one moves itself on", async () => {
  for (let n = 0; n < 5; n++) await job();
  const held = [];
  for (let n = 0; n < 5; n++) held.push(await claimOne());
  const task_ids = held.map(({ id }) => id);
  // The task's own timer stays where it was: a heartbeat does not rewrite the task.
  await desk.sql`update pawl.task set due_at = now() - interval '1 second' where id = any(${task_ids})`;
  const beat = await desk.engine.heartbeat(
    desk.by(ann),
    [...held, { id: crypto.randomUUID(), lease_token: "nonsense" }].map(({ id, lease_token }) => ({
      task_id: id,
      lease_token,
    })),
  );
  expect(beat.extended).toHaveLength(5);
  expect(beat.lost).toHaveLength(1);
  expect(await desk.engine.sweep()).toMatchObject({ looked_at: 5, put_off: [] });
  const rows = await desk.sql<{ status: string; late: boolean }[]>`
    select status, due_at > now() + interval '50 seconds' as late from pawl.task where id = any(${task_ids})`;
  expect(rows.every((row) => row.status === "CLAIMED" && row.late)).toBe(true);
});

test("leaving the leased statuses closes the lease", async () => {
  await job();
  const task = await claimOne();
  expect(await desk.act(ann, task, "release", { lease_token: task.lease_token })).toBe("QUEUED");
  expect(await desk.sql`select from pawl.lease where task_id = ${task.id}`).toHaveLength(0);
});

test("the pool gives the best free task first: priority, then age; and only what is for the claimer", async () => {
  const floor = await openDesk({
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
  const make = (title: string, more = {}) => floor.make(lead, "planner", { title, ...more });
  await make("old");
  await make("urgent", { priority: 5 });
  await make("welding", { priority: 9, required_trade: "welder" });
  const worker = (trades: string[]) => member("w", ["executor"], { skill_level: 5, specializations: trades });
  const take = async (trades: string[]) => {
    const claimed = await floor.engine.claim(floor.by(worker(trades)), {
      lifecycle: "planner",
      client_event_id: crypto.randomUUID(),
    });
    return claimed.kind === "claimed"
      ? (claimed.tasks[0]?.task.title ?? claimed.refusal?.code)
      : claimed.code;
  };
  expect(await take(["painter"])).toBe("urgent");
  // The first one still holds his: the key keeps him to one at a time, whatever the facts say.
  expect(await take(["painter"])).toBe("VERSION_CONFLICT");
  await floor.sql`update pawl.task set exclusive_key = null`;
  expect(await take(["welder"])).toBe("welding");
});
