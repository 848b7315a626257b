// Fails if rule 3 (a client_event_id is an index) or rule 4 (keys are decided in order of arrival) is broken.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { ann, openTestEngine } from "../test-engine.ts";
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
import type { Node } from "./nodes.ts";

const env = await openTestEngine();
const nodes = await openNodes(env);
const caller = env.by(ann);
const ROUNDS = 100;

const notes = await createTasks(
  env,
  ann,
  Array.from({ length: ROUNDS }, (_, index) => ({
    lifecycle: "board",
    title: `Note ${index}`,
    description: "-",
  })),
);
await createTasks(
  env,
  ann,
  Array.from({ length: 4 * ROUNDS * 10 }, (_, index) => ({ lifecycle: "code", title: `Free ${index}` })),
);

type Send = (node: Node, key: string, round: number, caller: number) => ReturnType<Node["create"]>;

const REQUESTS: Record<string, { same: Send; different: Send; done: string }> = {
  perform: {
    done: "performed",
    same: (node, client_event_id, round) =>
      node.perform(caller, {
        task_id: pick(notes, round).id,
        action: "comment",
        comment: `about ${client_event_id}`,
        client_event_id,
      }) as never,
    different: (node, client_event_id, round, nth) =>
      node.perform(caller, {
        // Some callers use the same task and some another, so that some rows are locked and some are not.
        task_id: pick(notes, round + (nth % 5)).id,
        action: "comment",
        comment: `${client_event_id} by ${nth}`,
        client_event_id,
      }) as never,
  },
  create: {
    done: "created",
    same: (node, client_event_id) =>
      node.create(caller, [{ lifecycle: "code", title: `Made ${client_event_id}`, priority: -1 }], {
        client_event_id,
      }),
    different: (node, client_event_id, _, nth) =>
      node.create(caller, [{ lifecycle: "code", title: `Made ${client_event_id} ${nth}`, priority: -1 }], {
        client_event_id,
      }),
  },
  claim: {
    done: "claimed",
    same: (node, client_event_id) =>
      node.claim(caller, { lifecycle: "code", limit: 2, client_event_id }) as never,
    different: (node, client_event_id, _, nth) =>
      node.claim(caller, { lifecycle: "code", limit: nth + 1, client_event_id }) as never,
  },
};

describe.each([
  ["one node", () => nodes.slice(0, 1)],
  ["five nodes", () => nodes],
])("ten callers with one client_event_id on %s", (where, nodesOf) => {
  test.each(Object.entries(REQUESTS))(
    "with the same %s get one answer, and it happens once",
    async (verb, { same, done }) => {
      await runRounds(ROUNDS, 3, async (round) => {
        const before = await countUses();
        const key = `${where} ${verb} same ${round}`;
        const answers = await inParallel(10, (caller) =>
          same(pick(nodesOf(), caller + round), key, round, caller),
        );
        expect(tally(answers.map(outcomeOf))).toEqual({ [done]: 1, replayed: 9 });
        const [first, ...others] = answers.map(withoutReplayed);
        for (const other of others) expect(other).toEqual(first);
        expect(await usesOf(key)).toBe(1);
        expect(await countUses()).toBeGreaterThan(before);
      });
    },
  );

  test.each(Object.entries(REQUESTS))(
    "with different requests to %s: one succeeds, nine are refused with a conflict",
    async (verb, { different, done }) => {
      await runRounds(ROUNDS, 3, async (round) => {
        const key = `${where} ${verb} different ${round}`;
        const answers = await inParallel(10, (caller) =>
          different(pick(nodesOf(), caller + round), key, round, caller),
        );
        expect(tally(answers.map(outcomeOf))).toEqual({ [done]: 1, IDEMPOTENCY_CONFLICT: 9 });
        expect(await usesOf(key)).toBe(1);
      });
      await expectIntegrity(env);
    },
  );
});

/** Counts the requests that left journal rows under a key; a request with many tasks counts as one. */
async function usesOf(key: string): Promise<number> {
  const rows = await env.sql`
    select e.created_at, e.comment from pawl.event e where e.client_event_id = ${key} group by 1, 2`;
  return rows.length;
}

async function countUses(): Promise<number> {
  const [row] = await env.sql<{ uses: number }[]>`select count(*)::int as uses from pawl.request`;
  return row?.uses ?? 0;
}

/** Returns an answer as JSON, without the mark of a replay. */
function withoutReplayed(answer: object): JsonObject {
  const { replayed: _, ...rest } = JSON.parse(JSON.stringify(answer)) as JsonObject;
  return rest;
}
