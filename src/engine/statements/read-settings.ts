import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_SETTINGS = `
  select p.id, p.settings::text as settings from pawl.project p where p.org_id = $1 and p.id = any($2::text[])`;

/** The settings of projects, as text: most batches have seen it before. */
export function readSettings(
  tx: Tx,
  org_id: string,
  projects: readonly string[],
): Promise<{ id: string; settings: string }[]> {
  return query(tx, READ_SETTINGS, [org_id, projects]);
}
