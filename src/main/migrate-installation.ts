import { PawlError } from "../core/index.ts";
import { explainRefusal, findDrift, grantScript, migrate, migrationScript } from "../engine/index.ts";
import type { Drift, MigrationSource } from "../engine/index.ts";
import type { Plugin } from "../plugin/index.ts";
import { openDatabase } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { databaseOptions, isAbsent } from "./inspect-installation.ts";
import { migrationSources, withBuiltIn } from "./plugins.ts";
import type { ResolvedSettings } from "./settings.ts";

type Installation = { settings: ResolvedSettings; plugins: readonly Plugin[] };

/** Runs the missing migrations; returns their names. */
export async function migrateInstallation(
  installation: Installation,
): Promise<{ schema: string; ran: string[] }> {
  const ran = await onDatabase(installation, (sql, sources) => migrate(sql, { sources }));
  return { schema: installation.settings.schema, ran };
}

/** Returns the SQL that `migrateInstallation` would run; null if nothing is missing. */
export function scriptOfInstallation(installation: Installation): Promise<string | null> {
  refuseAbsent(installation);
  return onDatabase(installation, migrationScript);
}

/** Compares the schema with the migrations. */
export async function driftOfInstallation(
  installation: Installation,
): Promise<{ schema: string; drift: Drift[] }> {
  refuseAbsent(installation);
  return { schema: installation.settings.schema, drift: await onDatabase(installation, findDrift) };
}

/** Returns the GRANT statements for a role that runs the server. */
export function grantsOfInstallation({ settings }: Installation, role: string): string {
  if (role.trim() === "" || role.includes("\0") || Buffer.byteLength(role) > MAX_ROLE_BYTES)
    throw new PawlError("INVALID_CONFIG", `--grant needs the name of a role, not ${JSON.stringify(role)}.`, {
      option: "--grant",
    });
  return grantScript(settings.schema, role);
}

/** PostgreSQL truncates longer names. */
const MAX_ROLE_BYTES = 63;

/** Opening the embedded database would create it, which a command that only reads must not do. */
function refuseAbsent({ settings }: Installation): void {
  if (isAbsent(settings))
    throw new PawlError(
      "DATABASE_UNUSABLE",
      `There is no database in ${settings.data} yet; set DATABASE_URL, or create it with \`pawl migrate\`.`,
    );
}

async function onDatabase<T>(
  { settings, plugins }: Installation,
  work: (sql: Sql, sources: readonly MigrationSource[]) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(databaseOptions(settings));
  try {
    return await work(database.sql, migrationSources(withBuiltIn(plugins, settings.builtInPlugins)));
  } catch (error) {
    throw await explainRefusal(database.sql, error);
  } finally {
    await database.close();
  }
}
