import { PawlError } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const HAS_OWNERS = `
  select from pg_catalog.pg_attribute a where a.attrelid = 'pawl.migration'::regclass and a.attname = 'owner'`;

const READ_APPLIED = `select m.owner, m.number, m.name from pawl.migration m order by m.owner, m.number`;

/** Reads the migrations that ran on this database. */
export async function readApplied(tx: Tx): Promise<{ owner: string; number: number; name: string }[]> {
  if ((await query(tx, HAS_OWNERS, [])).length === 0)
    throw new PawlError(
      "DATABASE_UNUSABLE",
      "The schema pawl was created by a development version of Pawl and cannot be upgraded; use another database, or drop the schema.",
    );
  return query<{ owner: string; number: number; name: string }>(tx, READ_APPLIED, []);
}
