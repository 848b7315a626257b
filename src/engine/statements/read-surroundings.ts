import type { Instant } from "../../core/index.ts";
import type { LeaseRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { readLeases } from "./find-tasks.ts";

// By `any`, not by a join: joined to an unnested array, a plan made while the table was small read all of an org's rows.
const FIND_AWAITED = `
  select distinct d.blocker_id from pawl.dependency d
  where d.org_id = $1 and d.blocker_id = any($2::uuid[]) and not d.resolved`;

export type Surroundings = { leases: readonly LeaseRow[]; awaited: ReadonlySet<string> };

/** What lies beside tasks: their leases, and which of them somebody waits for. */
export async function readSurroundings(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Surroundings> {
  const [leases, awaited] = await Promise.all([
    readLeases(tx, org_id, ids),
    query<{ blocker_id: string }>(tx, FIND_AWAITED, [org_id, ids]),
  ]);
  return { leases, awaited: new Set(awaited.map((row) => row.blocker_id)) };
}

const READ_CLOCK = `select clock_timestamp() as now`;

/** The database's clock, which is the only one. */
export async function readClock(tx: Tx): Promise<Instant> {
  const [row] = await query<{ now: Instant }>(tx, READ_CLOCK, []);
  return row?.now ?? 0;
}
