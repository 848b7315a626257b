// Random histories on three nodes: the journal matches the decisions of the pure rules and the answers that callers got.
// PAWL_HISTORIES sets their number, PAWL_HISTORY_SEED the seed of the first; the name of a test has its seed.
import { randomInt } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { PublicTask } from "../../../src/main/index.ts";
import { expectConsistent, newOrg, openCluster, times, outcomeOf } from "./cluster.ts";
import { isFinal, Model, shownOf } from "./history-model.ts";
import type { EventRow } from "./history-model.ts";
import { runHistory } from "./random-history.ts";
import type { Sent } from "./random-history.ts";

const HISTORIES = Number(process.env.PAWL_HISTORIES ?? 10);
const FIRST_SEED = Number(process.env.PAWL_HISTORY_SEED ?? randomInt(1_000_000_000));

const cluster = await openCluster({ nodes: 3 });
const { nodes, sql } = cluster;
const [first] = nodes as [ClusterNode];
const actions = new Map<string, number>();

async function readFeed(org_id: string): Promise<EventRow[]> {
  const rows = await sql<
    (Omit<EventRow, "created_at" | "row_version"> & { created_at: Date; row_version: string })[]
  >`
    select e.task_id || '.' || e.row_version as id, e.task_id, e.row_version, e.type, e.action, e.from_status,
      e.to_status, e.actor_id, e.comment, e.payload, e.patch ->> 'title' as title, e.created_at
    from pawl.event e where e.org_id = ${org_id} order by e.position`;
  return rows.map(({ created_at, row_version, ...row }) => ({
    ...row,
    row_version: Number(row_version),
    created_at: created_at.getTime(),
  }));
}

async function readTasks(org_id: string): Promise<PublicTask[]> {
  const tasks: PublicTask[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await first.list(first.asSystem(org_id), {
      limit: 200,
      ...(cursor === "" ? {} : { cursor }),
    });
    tasks.push(...page.tasks);
    cursor = page.cursor;
  }
  return tasks;
}

/** Whether a request took effect, so that its key is used. */
function isAccepted({ answer }: Sent): boolean {
  return answer.kind !== "refused" && !(answer.kind === "claimed" && answer.tasks.length === 0);
}

/** Returns the ids of the events that an answer refers to. */
function eventIdsIn({ answer }: Sent): string[] {
  if (answer.kind === "created") return answer.tasks.map(({ id }) => `${id}.1`);
  if (answer.kind === "claimed") return answer.tasks.map(({ task }) => `${task.id}.${task.row_version}`);
  return answer.kind === "performed" && answer.event !== null ? [answer.event.id] : [];
}

function tasksIn({ answer }: Sent): PublicTask[] {
  if (answer.kind === "created") return answer.tasks;
  if (answer.kind === "claimed") return answer.tasks.map(({ task }) => task);
  return answer.kind === "performed" ? [answer.task] : [];
}

/** Checks the answers to one tag, whose requests are all equivalent, against the journal and the model. */
function expectAnswersMatch(sent: readonly Sent[], events: readonly string[], model: Model): void {
  const accepted = sent.filter(isAccepted);
  const done = accepted.filter(({ answer }) => answer.kind !== "refused" && !answer.replayed);
  expect(done.length).toBeLessThanOrEqual(1);
  const [one] = done;
  expect(accepted.length === 0 || one !== undefined, "a replay has a first answer").toBe(true);
  expect([...events].sort()).toEqual(one ? eventIdsIn(one).sort() : []);
  for (const { answer } of accepted)
    if (one && answer !== one.answer)
      expect(JSON.parse(JSON.stringify(answer))).toEqual(
        JSON.parse(JSON.stringify({ ...one.answer, replayed: true })),
      );
  for (const { wave, answer } of one ? sent : []) {
    if (wave > one!.wave) expect(outcomeOf(answer), "a repetition of what was accepted").toBe("replayed");
    else expect(outcomeOf(answer)).not.toBe("IDEMPOTENCY_CONFLICT");
  }
  for (const { conflicts, answer } of sent)
    if (conflicts) expect(outcomeOf(answer)).toBe("IDEMPOTENCY_CONFLICT");
  for (const task of one ? tasksIn(one) : []) {
    const { open_blockers: _, ...version } = shownOf(model.versions.get(`${task.id}.${task.row_version}`)!);
    expect(shownOf(task)).toMatchObject(version);
  }
}

test.each(times(HISTORIES, (n) => FIRST_SEED + n))("history with seed %i", async (seed) => {
  const org_id = await newOrg(cluster);
  const sent = await runHistory(nodes, org_id, seed);
  const feed = await readFeed(org_id);
  const model = new Model(sent);
  for (const event of feed) model.replay(event);

  const rows = await readTasks(org_id);
  expect(rows.map(({ id }) => id).sort()).toEqual([...model.tasks.keys()].sort());
  for (const row of rows) expect(shownOf(row), row.id).toEqual(shownOf(model.tasks.get(row.id)!));
  for (const row of rows)
    if (row.status === "waiting") expect(row.open_blockers + row.open_holds, row.id).toBeGreaterThan(0);

  const tags = new Map<string, Sent[]>();
  for (const one of sent) tags.set(one.tag, [...(tags.get(one.tag) ?? []), one]);
  const byTag = new Map<string, string[]>();
  for (const { id, action, comment, title, actor_id } of feed) {
    actions.set(action, (actions.get(action) ?? 0) + 1);
    const tag =
      action === "create" ? title?.match(/^(.*)\.\d+$/)?.[1] : actor_id === null ? undefined : comment;
    if (tag != null) byTag.set(tag, [...(byTag.get(tag) ?? []), id]);
  }
  for (const tag of byTag.keys()) expect(tags.has(tag), `an event of ${tag}`).toBe(true);
  for (const [tag, some] of tags) expectAnswersMatch(some, byTag.get(tag) ?? [], model);
  const spawned = feed.filter(({ action }) => action === "spawn").length;
  expect(feed.filter(({ action, title }) => action === "create" && title?.endsWith(" child"))).toHaveLength(
    spawned,
  );
  const notes = await sql`select from public.job_note where org_id = ${org_id}`;
  expect(notes).toHaveLength(feed.filter(({ action }) => action === "note").length);
  expect(rows.filter((row) => !isFinal(row) || row.lease === null)).toHaveLength(rows.length);

  await expectConsistent(cluster, org_id);
});

afterAll(() => {
  // If everything were refused, the histories would prove nothing.
  if (HISTORIES < 5) return;
  for (const action of ["create", "claim", "paint", "note", "hold", "close", "finish", "go"])
    expect(actions.get(action) ?? 0, action).toBeGreaterThan(0);
});
