import { PawlError } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const HAS_OWNERS = `
  select from pg_catalog.pg_attribute a where a.attrelid = 'pawl.migration'::regclass and a.attname = 'owner'`;

// Earlier versions recorded no checksums: the table has the column since its next migration.
const READ_APPLIED = `
  select m.owner, m.number, m.name, to_jsonb(m)->>'checksum' as checksum from pawl.migration m order by m.owner, m.number`;

/** A migration that ran on this database. */
export type AppliedMigration = { owner: string; number: number; name: string; checksum: string | null };

/** Reads the migrations that ran on this database. */
export async function readApplied(tx: Tx): Promise<AppliedMigration[]> {
  if ((await query(tx, HAS_OWNERS, [])).length === 0)
    throw new PawlError(
      "DATABASE_UNUSABLE",
      "The schema was created by a development version of Pawl and cannot be upgraded; use another database, or drop the schema.",
    );
  return query<AppliedMigration>(tx, READ_APPLIED, []);
}
