import type { Sql } from "../../src/engine/database/connect.ts";

/** Lets the leases of one member run out: the next sweep finds a holder that was silent for a day. Other leases stay. */
export async function endLeasesOf(sql: Sql, holder: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`update pawl.heartbeat b set beat_at = beat_at - interval '1 day', until = until - interval '1 day'
      from pawl.task t where t.org_id = b.org_id and t.id = b.task_id and t.lease_holder = ${holder}`;
    await tx`update pawl.task set leased_at = leased_at - interval '1 day',
        lease_until = lease_until - interval '1 day', due_at = due_at - interval '1 day'
      where lease_holder = ${holder}`;
  });
}
