// A key sent many times at once to two nodes is one request: it happens once, and every sender gets its answer.
import { expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { JsonObject, PublicTask } from "../../../src/main/index.ts";
import { ann, as, createJobs, expectConsistent, openCluster, times, outcomeOf } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
const caller = as(ann);
const ROUNDS = 8;

type Answer = Parameters<typeof outcomeOf>[0];
type Send = (node: ClusterNode, client_event_id: string) => Promise<Answer>;

/** Requests to send with one key, with the number of journal rows that each leaves. */
const REQUESTS: Record<string, () => Promise<{ send: Send; events: number }>> = {
  "a plain move": async () => sending(await newJob(), "paint"),
  "a move with facts and effects": async () => sending(await newJob(), "note", { text: "x" }),
  "a move that creates a task": async () => sending(await newJob(), "spawn", { title: "child" }),
  "a touch": async () => ({ ...sending(await newJob(), "ping"), events: 0 }),
  "a finish with dependents": async () => {
    const [blocker] = await createJobs(first, [{ ref: "b" }, ...times(5, () => ({ after: ["b"] }))]);
    return sending(blocker!, "close");
  },
  "a creation": () =>
    Promise.resolve({
      events: 3,
      send: (node, client_event_id) =>
        node.create(
          caller,
          [{ lifecycle: "job", ref: "a" }, ...times(2, () => ({ lifecycle: "job", after: ["a"] }))],
          {
            client_event_id,
          },
        ),
    }),
  "a creation after an open task": async () => {
    const { id } = await newJob();
    return {
      events: 1,
      send: (node, client_event_id) =>
        node.create(caller, [{ lifecycle: "job", after: [id] }], { client_event_id }),
    };
  },
  "a claim": async () => {
    await createJobs(
      first,
      times(70, () => ({ priority: 5 })),
    );
    return {
      events: 3,
      send: (node, client_event_id) => node.claim(caller, { lifecycle: "job", limit: 3, client_event_id }),
    };
  },
};

async function newJob(): Promise<PublicTask> {
  const [task] = (await createJobs(first, [{}])) as [PublicTask];
  return task;
}

function sending(
  { id }: PublicTask,
  action: string,
  payload: JsonObject = {},
): { send: Send; events: number } {
  return {
    events: 1,
    send: (node, client_event_id) => node.perform(caller, { task_id: id, action, payload, client_event_id }),
  };
}

test.each(Object.entries(REQUESTS))(
  "%s sent twenty times with one key happens once and gets twenty equal answers",
  async (name, make) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { send, events } = await make();
      const key = `${name} ${round}`;
      const answers = await Promise.all(times(20, (n) => send(n % 2 === 0 ? first : second, key)));
      const replayed = answers.filter((answer) => outcomeOf(answer) === "replayed");
      expect(replayed).toHaveLength(19);
      const [one, ...others] = answers.map(withoutReplayed);
      for (const other of others) expect(other).toEqual(one);
      expect(await sql`select from pawl.event where client_event_id = ${key}`).toHaveLength(events);
    }
    await expectConsistent(cluster);
  },
);

test("two keys of one member on one task are two requests, however they are mixed", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const task = await newJob();
    const colors = ["blue", "green"];
    const answers = await Promise.all(
      times(20, (n) =>
        (n % 4 < 2 ? first : second).perform(caller, {
          task_id: task.id,
          action: "paint",
          payload: { color: colors[n % 2] },
          client_event_id: `mixed ${round} ${n % 2}`,
        }),
      ),
    );
    for (const index of [0, 1]) {
      const [one, ...others] = answers.filter((_, n) => n % 2 === index).map(withoutReplayed);
      for (const other of others) expect(other).toEqual(one);
    }
    expect(await first.find(caller, task.id)).toMatchObject({ row_version: 3 });
  }
  await expectConsistent(cluster);
});

/** Returns an answer as JSON, without the mark of a replay. */
function withoutReplayed(answer: Answer): JsonObject {
  const { replayed: _, ...rest } = JSON.parse(JSON.stringify(answer)) as JsonObject;
  return rest;
}
