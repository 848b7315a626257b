// Breaking rule 5 (a fresh token per claim) lets a zombie in here; breaking rule 7 (a timer's action is an ordinary,
// journalled command under the task's lock) makes the journal and the answers differ. That SKIP LOCKED is used shows only
// in the time it takes.
import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { ann, bob, openDesk, performed, EVERYBODY_IS_ACTIVE } from "../desk.ts";
import { allOf, expectSound, makeTasks, openNodes, pick, rounds, tally, wordOf } from "./nodes.ts";

const desk = await openDesk({ parts: EVERYBODY_IS_ACTIVE });
const nodes = await openNodes(desk);
const by = desk.by(ann);
const bot = member("bot", ["agent", "admin"], { kind: "service" });
const MINUTE = 60_000;
let taps = 0;

function jobs(count: number) {
  return makeTasks(
    desk,
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
  const [row] = await desk.sql<{ events: number }[]>`
    select count(*)::int as events from pawl.event where action = ${action}`;
  return row?.events ?? 0;
}

test("workers who claim and release while two nodes sweep are told the truth about every lease", async () => {
  await jobs(400);
  const told: string[] = [];
  let claimed = 0;
  let working = true;
  const sweepers = allOf(2, async (index) => {
    let moved = 0;
    // Two minutes ahead: every lease that is held at this moment has run out.
    while (working) moved += (await pick(nodes, index + 1).sweep({ now: Date.now() + 2 * MINUTE })).moved;
    return moved;
  });
  await allOf(8, async (worker) => {
    const node = pick(nodes, worker);
    for (let turn = 0; turn < 40; turn++) {
      const taken = await node.claim(by, { lifecycle: "delivery", limit: 3 });
      if (taken.kind === "refused") throw new Error(taken.detail);
      claimed += taken.tasks.length;
      for (const { task, lease_token } of taken.tasks) {
        told.push(wordOf(await node.perform(by, { task_id: task.id, action: "release", lease_token })));
      }
    }
  });
  working = false;
  const moved = (await sweepers).reduce((sum, one) => sum + one, 0);
  const { performed: released = 0, ...refused } = tally(told);
  // INVALID_TRANSITION: taken back for the third time, and FAILED.
  expect(Object.keys(refused).every((code) => ["LEASE_LOST", "INVALID_TRANSITION"].includes(code))).toBe(
    true,
  );
  expect(released).toBeGreaterThan(0);
  expect(refused.LEASE_LOST).toBeGreaterThan(0);
  expect(await countEvents("claim")).toBe(claimed);
  expect(await countEvents("release")).toBe(released);
  expect(await countEvents("heartbeat_timeout")).toBe(moved);
  expect(claimed - released - moved).toBe(await heldLeases());
  await expectSound(desk);
});

async function heldLeases(): Promise<number> {
  const [row] = await desk.sql<{ leases: number }[]>`select count(*)::int as leases from pawl.lease`;
  return row?.leases ?? 0;
}

test("what a zombie sends with its old token is LEASE_LOST and changes nothing", async () => {
  const tasks = await jobs(40);
  for (const task of tasks) {
    const old = performed(await desk.engine.perform(by, { task_id: task.id, action: "claim" })).lease_token;
    await desk.engine.sweep({ now: Date.now() + 2 * MINUTE });
    const now = performed(
      await desk.engine.perform(desk.by(bob), { task_id: task.id, action: "claim" }),
    ).lease_token;
    expect(now).not.toBe(old);
    const before = await desk.engine.events(by, task.id);
    const error = { code: "X", message: "x", retryable: false };
    const answers = await Promise.all([
      desk.engine.perform(by, { task_id: task.id, action: "release", lease_token: old }),
      desk.engine.perform(by, { task_id: task.id, action: "fail", lease_token: old, payload: { error } }),
      // Not even in the name of the one who holds it now.
      desk.engine.perform(desk.by(bob), { task_id: task.id, action: "release", lease_token: old }),
    ]);
    expect(tally(answers.map(wordOf))).toEqual({ LEASE_LOST: 3 });
    const beat = await desk.engine.heartbeat(by, [{ task_id: task.id, lease_token: old ?? "" }]);
    expect(beat).toEqual({ extended: [], lost: [task.id] });
    expect(await desk.engine.events(by, task.id)).toEqual(before);
  }
  await expectSound(desk);
});

test("of a claim and a deadline that meet one comes first, and the other is told so", async () => {
  const tasks = await makeTasks(
    desk,
    bot,
    Array.from({ length: 200 }, (_, index) => ({
      lifecycle: "board",
      title: `Task number ${index}`,
      description: "-",
    })),
  );
  const words: string[] = [];
  await rounds(tasks.length / 10, 2, async (round) => {
    const [, answers] = await Promise.all([
      // After the two hours of NEW, before the day of IN_PROGRESS.
      pick(nodes, round + 1).sweep({ now: Date.now() + 180 * MINUTE, limit: 5 }),
      allOf(10, (index) =>
        pick(nodes, round).perform(by, {
          task_id: pick(tasks, 10 * round + index).id,
          action: "claim",
          comment: "mine",
        }),
      ),
    ]);
    words.push(...answers.map(wordOf));
  });
  const { performed: won = 0, ...lost } = tally(words);
  expect(Object.keys(lost).every((code) => code === "INVALID_TRANSITION")).toBe(true);
  const statuses = await desk.sql<{ status: string; row_version: number; tasks: number }[]>`
    select t.status, t.row_version, count(*)::int as tasks from pawl.task t where t.lifecycle = 'board' group by 1, 2`;
  expect(statuses.every(({ row_version }) => row_version <= 2)).toBe(true);
  expect(statuses.find(({ status }) => status === "IN_PROGRESS")?.tasks).toBe(won);
  await expectSound(desk);
});
