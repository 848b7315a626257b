// A call of many commands with one key happens once, however often it is repeated, and whichever of its commands need locks.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/main/index.ts";
import {
  ann,
  as,
  bob,
  createJobs,
  expectConsistent,
  lockRows,
  openCluster,
  outcomeOf,
  times,
} from "./cluster.ts";
import type { ClusterNode } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
const caller = as(ann);
const UNKNOWN = "0190a000-0000-7000-8000-000000000000";

type Answers = Awaited<ReturnType<ClusterNode["performMany"]>>;

function newJobs(count: number) {
  return createJobs(
    first,
    times(count, () => ({})),
  );
}

function paint(task_id: string, color?: string, more: JsonObject = {}) {
  return { task_id, action: "paint", ...(color === undefined ? {} : { payload: { color } }), ...more };
}

function outcomes(answers: Answers): string[] {
  return answers.map(outcomeOf);
}

function withoutReplayed(answers: Answers): unknown {
  return JSON.parse(JSON.stringify(answers), (key, value: unknown) => (key === "replayed" ? false : value));
}

async function versions(ids: readonly string[]): Promise<number[]> {
  const rows = await sql<{ row_version: number }[]>`
    select row_version from pawl.task where id = any(${[...ids]}) order by id`;
  return rows.map((row) => row.row_version);
}

test("a mixed call sent many times at once on two nodes happens once, with equal answers", async () => {
  for (let round = 0; round < 4; round++) {
    const jobs = await newJobs(24);
    const ids = jobs.map(({ id }) => id);
    const commands = ids.map((task_id, index) =>
      index % 4 === 0
        ? { task_id, action: "note", payload: { text: "needs locks" } }
        : index % 4 === 1
          ? { task_id, action: "close" }
          : paint(task_id, "blue"),
    );
    // On one task in order, and one command that is refused.
    commands.push(paint(ids[2]!, "green"), paint(ids[2]!, "blue"), paint(UNKNOWN, "red"));
    const send = (node: ClusterNode) =>
      node.performMany(caller, commands, { client_event_id: `mixed ${round}` });
    const answers = await Promise.all(times(10, (n) => send(n % 2 === 0 ? first : second)));
    const late = await send(second);
    expect(outcomes(late)).toEqual([...times(26, () => "replayed"), "TASK_NOT_FOUND"]);
    for (const one of answers) expect(withoutReplayed(one)).toEqual(withoutReplayed(late));
    const expected = ids.map((_, index) => (index === 2 ? 4 : 2));
    expect(await versions(ids)).toEqual(expected);
  }
  await expectConsistent(cluster);
});

test("a repeated call gets its first answers after its tasks have moved on", async () => {
  const ids = (await newJobs(3)).map(({ id }) => id);
  const commands = ids.map((id) => paint(id, "blue"));
  const done = await first.performMany(caller, commands, { client_event_id: "moved on" });
  expect(outcomes(done)).toEqual(times(3, () => "performed"));
  // Painted green, each could be painted blue again; this node has the rows cached.
  for (const id of ids) await first.perform(caller, paint(id, "green"));
  const again = await first.performMany(caller, commands, { client_event_id: "moved on" });
  expect(outcomes(again)).toEqual(times(3, () => "replayed"));
  expect(withoutReplayed(again)).toEqual(withoutReplayed(done));
  expect(await versions(ids)).toEqual([3, 3, 3]);
});

test("a repeated call gets its first answers if all its commands needed locks", async () => {
  const ids = (await newJobs(3)).map(({ id }) => id);
  const release = await lockRows(
    sql,
    ids.map((id) => ({ id })),
  );
  const commands = ids.map((id) => paint(id, "blue"));
  const sent = first.performMany(caller, commands, { client_event_id: "locked" });
  await expect.poll(() => sql`select from pg_locks`.then((rows) => rows.length)).toBeGreaterThan(0);
  await release();
  const done = await sent;
  for (const id of ids) await first.perform(caller, paint(id, "green"));
  const again = await first.performMany(caller, commands, { client_event_id: "locked" });
  expect(outcomes(again)).toEqual(times(3, () => "replayed"));
  expect(withoutReplayed(again)).toEqual(withoutReplayed(done));
  expect(await versions(ids)).toEqual([3, 3, 3]);
});

test("equal commands are recognized by their meaning", async () => {
  const ids = (await newJobs(2)).map(({ id }) => id);
  const send = (commands: Parameters<ClusterNode["performMany"]>[1]) =>
    second.performMany(caller, commands, { client_event_id: "meaning" });
  await send(ids.map((id) => paint(id)));
  const same = [
    paint(ids[0]!, "red", { comment: " " }),
    { ...paint(ids[1]!.toUpperCase()), payload: { color: "red", unknown: 1 }, expected_row_version: 99 },
  ];
  expect(outcomes(await send(same))).toEqual(["replayed", "replayed"]);
});

test("the key of a call is refused for other commands and by other members", async () => {
  const ids = (await newJobs(3)).map(({ id }) => id);
  const commands = ids.slice(0, 2).map((id) => paint(id, "blue"));
  await first.performMany(caller, commands, { client_event_id: "taken" });
  const conflict = "IDEMPOTENCY_CONFLICT";
  const send = (requests: Parameters<ClusterNode["performMany"]>[1], actor = ann) =>
    first.performMany(as(actor), requests, { client_event_id: "taken" });
  const other = commands.map((command) => ({ ...command, payload: { color: "green" } }));
  expect(outcomes(await send(other))).toEqual([conflict, conflict]);
  expect(outcomes(await send(commands.map((one) => ({ ...one, comment: "why" }))))).toEqual([
    conflict,
    conflict,
  ]);
  expect(outcomes(await send(commands, bob))).toEqual([conflict, conflict]);
  const single = await first.perform(caller, { ...paint(ids[2]!, "blue"), client_event_id: "taken" });
  expect(outcomeOf(single)).toBe(conflict);
  await first.perform(caller, { ...paint(ids[2]!, "blue"), client_event_id: "single" });
  const call = await first.performMany(caller, commands, { client_event_id: "single" });
  expect(outcomes(call)).toEqual([conflict, conflict]);
  expect(await versions(ids)).toEqual([2, 2, 2]);
});

test("a call larger than one statement is repeated as a whole", async () => {
  const ids = (await newJobs(1_100)).map(({ id }) => id);
  const commands = ids.map((id) => paint(id, "blue"));
  const done = await first.performMany(caller, commands, { client_event_id: "large" });
  expect(new Set(outcomes(done))).toEqual(new Set(["performed"]));
  const again = await second.performMany(caller, commands, { client_event_id: "large" });
  expect(new Set(outcomes(again))).toEqual(new Set(["replayed"]));
  expect(withoutReplayed(again)).toEqual(withoutReplayed(done));
});

test("one statement carries out a call and stores one record for it", async () => {
  const ids = (await newJobs(40)).map(({ id }) => id);
  await first.performMany(
    caller,
    ids.map((id) => paint(id, "blue")),
    { client_event_id: "one record" },
  );
  const [row] = await sql<{ answers: number }[]>`
    select json_array_length(answer -> 'at') as answers from pawl.request where client_event_id = 'one record'`;
  expect(row?.answers).toBe(40);
  expect(await sql`select from pawl.request where client_event_id like 'one record.%'`).toHaveLength(0);
});

test("commands with keys of their own keep them, also in a call with a key", async () => {
  const ids = (await newJobs(2)).map(({ id }) => id);
  const commands = [paint(ids[0]!, "blue", { client_event_id: "own key" }), paint(ids[1]!, "blue")];
  await first.performMany(caller, commands, { client_event_id: "with own" });
  const own = await first.perform(caller, { ...paint(ids[0]!, "blue"), client_event_id: "own key" });
  expect(outcomeOf(own)).toBe("replayed");
  const again = await second.performMany(caller, commands, { client_event_id: "with own" });
  expect(outcomes(again)).toEqual(["replayed", "replayed"]);
});

test("in a caller's transaction, the key of a call works the same", async () => {
  const ids = (await newJobs(2)).map(({ id }) => id);
  const commands = ids.map((id) => paint(id, "blue"));
  await first.transaction((tx) => first.performMany(caller, commands, { client_event_id: "in tx", tx }));
  for (const id of ids) await first.perform(caller, paint(id, "green"));
  const again = await first.performMany(caller, commands, { client_event_id: "in tx" });
  expect(outcomes(again)).toEqual(["replayed", "replayed"]);
  expect(await versions(ids)).toEqual([3, 3]);
});

test.each(["", "x".repeat(491), "nul \0"])("an invalid key is refused", async (client_event_id) => {
  const [job] = await newJobs(1);
  const answers = await first.performMany(caller, [paint(job!.id, "blue")], { client_event_id });
  expect(outcomes(answers)).toEqual(["VALIDATION_ERROR"]);
});

test("after the tasks of a call are pruned, its key can be used again", async () => {
  const ids = (await newJobs(3)).map(({ id }) => id);
  const commands = ids.map((task_id) => ({ task_id, action: "close" }));
  await first.performMany(caller, commands, { client_event_id: "pruned" });
  await first.prune({ org_id: "main", olderThanMs: -600_000 });
  expect(await sql`select from pawl.request where client_event_id like 'pruned%'`).toHaveLength(0);
});
