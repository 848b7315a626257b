import type { Sql } from "../../src/postgres/connect.ts";

/** Expires the leases of one member, as if its last heartbeat was a day older. Other leases stay. */
export async function endLeasesOf(sql: Sql, holder: string): Promise<void> {
  const held = await sql<{ id: string }[]>`select id from pawl.task where lease_holder = ${holder}`;
  for (const { id } of held) await endLeaseOf(sql, id);
}

/** Expires the lease of one task. */
export async function endLeaseOf(sql: Sql, task_id: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`update pawl.heartbeat set beat_at = beat_at - interval '1 day', until = until - interval '1 day'
      where task_id = ${task_id}`;
    await tx`update pawl.task set leased_at = leased_at - interval '1 day',
        lease_until = lease_until - interval '1 day', due_at = due_at - interval '1 day'
      where id = ${task_id} and lease_token is not null`;
  });
}
