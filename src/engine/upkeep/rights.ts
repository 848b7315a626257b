import { PawlError } from "../../core/index.ts";
import { codeOf, messageOf, unusable } from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { readRights } from "../sql/read-rights.ts";
import type { RightsRow } from "../sql/read-rights.ts";

export const INSUFFICIENT_PRIVILEGE = "42501";

/** Explains a missing privilege with the statement that grants it; returns other errors unchanged. */
export async function explainRefusal(sql: Sql, error: unknown): Promise<unknown> {
  if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) return error;
  const rights = await sql.begin("read only", (tx) => readRights(tx)).catch(() => null);
  const missing =
    rights && (missingRights(rights, { migrates: false }) ?? missingRights(rights, { migrates: true }));
  if (missing) return new PawlError(missing.code, missing.message, {}, { cause: error });
  const who = rights ? `role ${rights.role} in database ${rights.database}` : "this role";
  return unusable(`PostgreSQL refuses ${who}: ${messageOf(error)}; grant the privilege.`, error);
}

/** Describes the first privilege that the role lacks for serving, or for migrating and serving; null if none is missing. */
export function missingRights(rights: RightsRow, { migrates }: { migrates: boolean }): PawlError | null {
  const { schema, role, database, owner } = rights;
  const lacks = (privilege: string, purpose: string, grant: string) =>
    unusable(
      `Role ${role} lacks ${privilege} in database ${database}, needed ${purpose}; let an administrator run \`${grant}\`.`,
    );
  if (!rights.has_schema)
    return !migrates || rights.creates_schema
      ? null
      : lacks(
          "CREATE on the database",
          `to create schema ${schema}`,
          `CREATE SCHEMA ${schema} AUTHORIZATION ${role}`,
        );
  if (!rights.uses_schema)
    return lacks(`USAGE on schema ${schema}`, "to use it", `GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
  if (migrates && !rights.creates_tables)
    return lacks(
      `CREATE on schema ${schema}`,
      "to migrate it",
      `GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    );
  if (migrates && !rights.owns_tables)
    return lacks(
      `ownership of the tables of schema ${schema}`,
      "to migrate them",
      `GRANT ${owner ?? ""} TO ${role}`,
    );
  if (rights.lacking.length > 0)
    return lacks(
      `${rights.lacking.join(", ")} on tables of schema ${schema}`,
      "to serve",
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
  return null;
}

/** Explains that a role may not create the temporary tables with which the schema is compared. */
export function lacksTemporary({ role, database }: RightsRow, cause: unknown): PawlError {
  return unusable(
    `Role ${role} lacks TEMPORARY on database ${database}, needed to compare the schema; let an administrator run ` +
      `\`GRANT TEMPORARY ON DATABASE ${database} TO ${role}\`.`,
    cause,
  );
}
