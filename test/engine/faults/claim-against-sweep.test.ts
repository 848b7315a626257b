// Fails if rule 5 (a new token per claim) is broken, because a zombie worker gets through, or rule 7 (a timer's action is an
// ordinary, journalled command under the task's lock), because journal and answers differ. A missing SKIP LOCKED only makes
// it slower.
import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { ann, bob, openTestEngine, performed, EVERYBODY_IS_ACTIVE } from "../test-engine.ts";
import {
  inParallel,
  expectIntegrity,
  createTasks,
  openNodes,
  pick,
  runRounds,
  tally,
  outcomeOf,
} from "./nodes.ts";

const env = await openTestEngine({ parts: EVERYBODY_IS_ACTIVE });
const nodes = await openNodes(env);
const caller = env.by(ann);
const bot = member("bot", ["agent", "admin"], { kind: "service" });
const MINUTE = 60_000;
let taps = 0;

function jobs(count: number) {
  return createTasks(
    env,
    bot,
    Array.from({ length: count }, () => ({
      lifecycle: "delivery",
      user_id: "u",
      file_id: "f",
      chat_id: "c",
      request_nonce: String(taps++),
    })),
  );
}

async function countEvents(action: string): Promise<number> {
  const [row] = await env.sql<{ events: number }[]>`
    select count(*)::int as events from pawl.event where action = ${action}`;
  return row?.events ?? 0;
}

test("workers that claim and release while two nodes sweep get the right answer for every lease", async () => {
  await jobs(400);
  const outcomes: string[] = [];
  let claimed = 0;
  let working = true;
  const sweepers = inParallel(2, async (index) => {
    let moved = 0;
    // Two minutes ahead, every lease that is held now has expired.
    while (working) moved += (await pick(nodes, index + 1).sweep({ now: Date.now() + 2 * MINUTE })).moved;
    return moved;
  });
  await inParallel(8, async (worker) => {
    const node = pick(nodes, worker);
    for (let turn = 0; turn < 40; turn++) {
      const taken = await node.claim(caller, { lifecycle: "delivery", limit: 3 });
      if (taken.kind === "refused") throw new Error(taken.detail);
      claimed += taken.tasks.length;
      for (const { task, lease_token } of taken.tasks) {
        outcomes.push(
          outcomeOf(await node.perform(caller, { task_id: task.id, action: "release", lease_token })),
        );
      }
    }
  });
  working = false;
  const moved = (await sweepers).reduce((sum, one) => sum + one, 0);
  const { performed: released = 0, ...refused } = tally(outcomes);
  // INVALID_TRANSITION: the lease expired for the third time, and the task has FAILED.
  expect(Object.keys(refused).every((code) => ["LEASE_LOST", "INVALID_TRANSITION"].includes(code))).toBe(
    true,
  );
  expect(released).toBeGreaterThan(0);
  expect(refused.LEASE_LOST).toBeGreaterThan(0);
  expect(await countEvents("claim")).toBe(claimed);
  expect(await countEvents("release")).toBe(released);
  expect(await countEvents("heartbeat_timeout")).toBe(moved);
  expect(claimed - released - moved).toBe(await heldLeases());
  await expectIntegrity(env);
});

async function heldLeases(): Promise<number> {
  const [row] = await env.sql<{ leases: number }[]>`select count(*)::int as leases from pawl.lease`;
  return row?.leases ?? 0;
}

test("requests of a zombie worker with its old token are refused with LEASE_LOST and change nothing", async () => {
  const tasks = await jobs(40);
  for (const task of tasks) {
    const old = performed(
      await env.engine.perform(caller, { task_id: task.id, action: "claim" }),
    ).lease_token;
    await env.engine.sweep({ now: Date.now() + 2 * MINUTE });
    const now = performed(
      await env.engine.perform(env.by(bob), { task_id: task.id, action: "claim" }),
    ).lease_token;
    expect(now).not.toBe(old);
    const before = await env.engine.events(caller, task.id);
    const error = { code: "X", message: "x", retryable: false };
    const answers = await Promise.all([
      env.engine.perform(caller, { task_id: task.id, action: "release", lease_token: old }),
      env.engine.perform(caller, { task_id: task.id, action: "fail", lease_token: old, payload: { error } }),
      // Also if the current holder sends it.
      env.engine.perform(env.by(bob), { task_id: task.id, action: "release", lease_token: old }),
    ]);
    expect(tally(answers.map(outcomeOf))).toEqual({ LEASE_LOST: 3 });
    const beat = await env.engine.heartbeat(caller, [{ task_id: task.id, lease_token: old ?? "" }]);
    expect(beat).toEqual({ extended: [], lost: [task.id] });
    expect(await env.engine.events(caller, task.id)).toEqual(before);
  }
  await expectIntegrity(env);
});

test("when a claim and a deadline coincide, one wins and the other is refused", async () => {
  const tasks = await createTasks(
    env,
    bot,
    Array.from({ length: 200 }, (_, index) => ({
      lifecycle: "board",
      title: `Task number ${index}`,
      description: "-",
    })),
  );
  const outcomes: string[] = [];
  await runRounds(tasks.length / 10, 2, async (round) => {
    const [, answers] = await Promise.all([
      // After the two hours of NEW, before the day of IN_PROGRESS.
      pick(nodes, round + 1).sweep({ now: Date.now() + 180 * MINUTE, limit: 5 }),
      inParallel(10, (index) =>
        pick(nodes, round).perform(caller, {
          task_id: pick(tasks, 10 * round + index).id,
          action: "claim",
          comment: "mine",
        }),
      ),
    ]);
    outcomes.push(...answers.map(outcomeOf));
  });
  const { performed: won = 0, ...lost } = tally(outcomes);
  expect(Object.keys(lost).every((code) => code === "INVALID_TRANSITION")).toBe(true);
  const statuses = await env.sql<{ status: string; row_version: number; tasks: number }[]>`
    select t.status, t.row_version, count(*)::int as tasks from pawl.task t where t.lifecycle = 'board' group by 1, 2`;
  expect(statuses.every(({ row_version }) => row_version <= 2)).toBe(true);
  expect(statuses.find(({ status }) => status === "IN_PROGRESS")?.tasks).toBe(won);
  await expectIntegrity(env);
});
