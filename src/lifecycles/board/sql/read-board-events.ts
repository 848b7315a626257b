import type { JsonObject } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

// The latest 1,000 events, oldest first.
const READ_BOARD_EVENTS = `
  select e.* from (
    select j.task_id, j.row_version::integer as row_version, j.type, j.actor_id, m.name as actor_name, j.comment, j.payload,
      j.from_status, j.to_status, j.created_at
    from pawl.event j
    left join pawl.member m on m.org_id = $1 and m.id = j.actor_id
    where j.org_id = $1 and j.task_id = $2
    order by j.row_version desc
    limit 1000
  ) as e
  order by e.row_version`;

export type BoardEventRow = {
  task_id: string;
  row_version: number;
  type: string;
  actor_id: string | null;
  actor_name: string | null;
  comment: string | null;
  payload: JsonObject | null;
  from_status: string | null;
  to_status: string | null;
  created_at: number;
};

export function readBoardEvents(tx: Tx, org_id: string, task_id: string): Promise<BoardEventRow[]> {
  return query<BoardEventRow>(tx, READ_BOARD_EVENTS, [org_id, task_id]);
}
