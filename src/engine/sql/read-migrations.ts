import { PawlError } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const HAS_OWNERS = `
  select from pg_catalog.pg_attribute a where a.attrelid = 'pawl.migration'::regclass and a.attname = 'owner'`;

const READ_APPLIED = `select m.owner, m.number, m.name from pawl.migration m order by m.owner, m.number`;

/** The migrations that ran on this database. */
export async function readApplied(tx: Tx): Promise<{ owner: string; number: number; name: string }[]> {
  if ((await query(tx, HAS_OWNERS, [])).length === 0)
    throw new PawlError(
      "DATABASE_UNUSABLE",
      "The schema pawl was made by a development version of Pawl, which cannot be upgraded; name another database, or drop the schema.",
    );
  return query<{ owner: string; number: number; name: string }>(tx, READ_APPLIED, []);
}
