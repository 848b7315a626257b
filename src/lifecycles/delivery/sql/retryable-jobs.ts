import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { JobFilter } from "./jobs.ts";

// A retry has the nonce `retry:` and the id of the failed job, so its key shows whether the job was retried.
const PICK_RETRYABLE_JOBS = `
  select t.id from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'delivery' and t.status = 'FAILED' and t.updated_at >= $2::timestamptz
    and t.data #>> '{last_error,code}' = any($3::text[])
    and ($4::text[] is null or t.project_id = any($4))
    and (not t.private or $5 in (t.created_by, t.assigned_to))
    and ($6::uuid is null or t.id > $6)
    and not exists (
      select from pawl.task r
      where r.org_id = $1 and r.lifecycle = 'delivery' and r.dedupe_key = encode(sha256(convert_to(
        (t.data ->> 'user_id') || ':' || (t.data ->> 'file_id') || ':retry:' || t.id, 'UTF8')), 'hex'))
  order by t.id
  limit $7`;

/** Returns ids of jobs that failed since a moment with one of these codes and were not retried, oldest first. */
export async function pickRetryableJobs(
  tx: Tx,
  org_id: string,
  filter: Pick<JobFilter, "projects" | "reader" | "limit"> & {
    since: string;
    codes: readonly string[];
    after: string | null;
  },
): Promise<string[]> {
  const { since, codes, projects, reader, after, limit } = filter;
  const params = [org_id, since, codes, projects, reader, after, limit];
  return (await query<{ id: string }>(tx, PICK_RETRYABLE_JOBS, params)).map(({ id }) => id);
}
