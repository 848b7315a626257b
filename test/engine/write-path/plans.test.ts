import type { ClusterNode } from "./cluster.ts";
// A connection plans a statement once, perhaps while a table is empty; the plan must also be good for a large table.
import { expect, test } from "vitest";
import { CLAIM_TASKS } from "../../../src/engine/sql/claim-tasks.ts";
import { listStatement } from "../../../src/engine/sql/list-tasks.ts";
import { saveMoves } from "../../../src/engine/sql/save-moves.ts";
import { SEARCH_BOARD } from "../../../src/lifecycles/board/sql/search-board.ts";
import { ATTENTION_STATEMENTS } from "../../../src/lifecycles/planner/sql/read-attention.ts";
import { READ_REVIEWS, READ_WORK } from "../../../src/lifecycles/planner/sql/read-planner-stats.ts";
import { ann, as, createJobs, newOrg, openCluster, times } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;

const [{ version }] = await sql<[{ version: number }]>`
  select current_setting('server_version_num')::integer as version`;

const STATEMENTS = {
  "moves are saved": saveMoves({ org_id: "", now: 0, moves: [], partly: true, settings_version: null }).text,
  "tasks are claimed": CLAIM_TASKS({}).text,
};

/** Returns the lines of a generic plan. */
async function planOf(text: string): Promise<string[]> {
  const plan = await sql.begin(async (tx) => {
    await tx`select set_config('enable_seqscan', 'off', true)`;
    return tx.unsafe<{ "QUERY PLAN": string }[]>(`explain (generic_plan, costs off) ${text}`).simple();
  });
  return plan.map((row) => row["QUERY PLAN"]);
}

/** Returns the scans by which a generic plan finds the tasks to update. */
async function scansOfTasks(text: string): Promise<string[]> {
  const lines = await planOf(text);
  const update = lines.findIndex((line) => line.includes("Update on task"));
  const end = lines.findIndex((line, n) => n > update && /^ *CTE \w+$/.test(line));
  return lines.slice(update + 1, end).filter((line) => /Scan .*on task t/.test(line));
}

// PostgreSQL 15 cannot explain generic plans.
test.skipIf(version < 160_000)(
  "rows are found by ctid, with and without statistics of the tables",
  async () => {
    const checkAll = async () => {
      for (const [what, text] of Object.entries(STATEMENTS))
        expect(await scansOfTasks(text), what).toEqual([expect.stringContaining("Tid Scan")]);
    };
    await checkAll();
    const org_id = await newOrg(cluster);
    await createJobs(
      cluster.nodes[0] as ClusterNode,
      times(500, () => ({})),
      as(ann, org_id),
    );
    await checkAll();
    await sql`analyze pawl.task`;
    await checkAll();
  },
);

const ALL = {
  statuses: null,
  unfinished: false,
  projects: null,
  assigned_to: null,
  text: null,
  reader: "ann",
};
const OPEN = { ...ALL, statuses: ["available", "assigned"], unfinished: true };
const CURSOR = "0197a000-0000-7000-8000-000000000001";

test.skipIf(version < 160_000).each([
  ["task_pkey", { ...ALL, lifecycle: null }],
  ["planner_task", { ...ALL, lifecycle: { known: "planner" } }],
  ["planner_task", { ...ALL, lifecycle: { known: "planner" }, statuses: ["done"] }],
  ["task_unfinished", { ...OPEN, lifecycle: { known: "planner" } }],
] as const)("a page of a list starts at its cursor in the index %s", async (index, filter) => {
  for (const newestFirst of [false, true]) {
    const { text } = listStatement("main", filter, { cursor: CURSOR, newestFirst, limit: 50 });
    const lines = await planOf(text);
    const scan = lines.findIndex((line) => line.includes(` using ${index} on task t`));
    expect(lines.slice(scan, scan + 2).join("\n"), lines.join("\n")).toMatch(/Index Cond: .*\(id [<>] \$\d/);
  }
});

test.skipIf(version < 160_000).each([
  ["escalation", "planner_escalation_open"],
  ["late", "planner_task_due"],
  ["blocked", "planner_task_attention"],
  ["held", "planner_task_held"],
] as const)("the lead's list %s is found by the partial index %s", async (kind, index) => {
  const lines = await planOf(ATTENTION_STATEMENTS[kind]);
  const first = lines.find((line) => /Scan .*on (task|planner_escalation) /.test(line));
  expect(first, lines.join("\n")).toContain(` using ${index} on `);
});

test.skipIf(version < 160_000).each([
  ["reviews", READ_REVIEWS],
  ["work", READ_WORK],
])(
  "statistics of %s read the moves that they count along their index, and each task by its key",
  async (_, text) => {
    const lines = await planOf(text);
    const indexes = lines.flatMap((line) => / using (\w+) on (?:event|task)/.exec(line)?.[1] ?? []);
    expect(new Set(indexes), lines.join("\n")).toEqual(
      new Set(["planner_event_left", "event_pkey", "task_pkey"]),
    );
    expect(lines.join("\n")).not.toMatch(/Hash Join|Merge Join|Seq Scan/);
  },
);

test.skipIf(version < 160_000)("a search stops at its limit", async () => {
  const lines = await planOf(SEARCH_BOARD);
  expect(lines[0]).toBe("Limit");
  const aggregate = lines.findIndex((line) => line.includes("Aggregate"));
  // A sort above the loops would read the tasks of all matches.
  expect(lines.slice(0, aggregate).join("\n"), lines.join("\n")).not.toMatch(/Sort|Unique|Hash|Merge/);
});
