import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_HOLDS = `
  select h.task_id, h.id, h.kind, h.reason from pawl.hold h
  where h.org_id = $1 and h.task_id = any($2::uuid[]) and h.released_at is null
  order by h.task_id, h.id`;

/** Reads the open holds of tasks: the fact `holds`. */
export function readHolds(
  tx: Tx,
  org_id: string,
  tasks: readonly string[],
): Promise<{ task_id: string; id: string; kind: string; reason: string | null }[]> {
  return tasks.length === 0 ? Promise.resolve([]) : query(tx, READ_HOLDS, [org_id, tasks]);
}

const PLACE_HOLDS = `
  insert into pawl.hold (org_id, id, task_id, kind, reason, placed_by, placed_at)
  select $1, h.id, h.task_id, h.kind, h.reason, h.placed_by, to_timestamp($3 / 1000.0)
  from json_to_recordset($2::text::json) as h(id uuid, task_id uuid, kind text, reason text, placed_by text)`;

export type NewHold = {
  id: string;
  task_id: string;
  kind: string;
  reason: string | null;
  placed_by: string | null;
};

export async function placeHolds(
  tx: Tx,
  org_id: string,
  holds: readonly NewHold[],
  now: number,
): Promise<void> {
  await query(tx, PLACE_HOLDS, [org_id, asRows(holds), now]);
}

const RELEASE_HOLDS = `
  update pawl.hold h set released_by = r.released_by, released_at = to_timestamp($3 / 1000.0)
  from json_to_recordset($2::text::json) as r(id uuid, released_by text)
  where h.org_id = $1 and h.id = r.id and h.released_at is null`;

export async function releaseHolds(
  tx: Tx,
  org_id: string,
  holds: readonly { id: string; released_by: string | null }[],
  now: number,
): Promise<void> {
  await query(tx, RELEASE_HOLDS, [org_id, asRows(holds), now]);
}
