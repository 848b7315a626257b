import { codeOf, rewriteSchema, schemaOf, withoutSchema } from "../../postgres/index.ts";
import type { DriverTransaction, Sql } from "../../postgres/index.ts";
import { readDefinitions, readScratchDefinitions } from "../sql/read-schema-objects.ts";
import type { SchemaObject } from "../sql/read-schema-objects.ts";
import { readApplied } from "../sql/read-migrations.ts";
import type { AppliedMigration } from "../sql/read-migrations.ts";
import { readRights } from "../sql/read-rights.ts";
import { tablePrefix } from "./confine-migrations.ts";
import { CREATE_MIGRATION_TABLE, unknownIn } from "./migration-plan.ts";
import { readMigrations } from "./migrations.ts";
import type { Migration, MigrationSource } from "./migrations.ts";
import { INSUFFICIENT_PRIVILEGE, lacksTemporary, missingRights } from "./rights.ts";

/** A difference between a schema and the migrations that should have created it. */
export type Drift = { object: string; difference: string };

/**
 * Compares the schema with the known migrations: missing, unknown and edited ones, and objects that were created, changed or dropped
 * by other means. Objects of plugins that are not known here do not count. Changes nothing.
 */
export async function findDrift(sql: Sql, sources: readonly MigrationSource[]): Promise<Drift[]> {
  const known = await readMigrations(sources);
  const { rights, applied, actual } = await sql.begin("read only", async (tx) => {
    const rights = await readRights(tx);
    const lacking = missingRights(rights, { migrates: false });
    if (lacking) throw lacking;
    if (!rights.has_migrations) return { rights, applied: [], actual: [] };
    return { rights, applied: await readApplied(tx), actual: await readDefinitions(tx) };
  });
  const drift = [...missingIn(applied, known), ...editedIn(applied, known)];
  if (applied.length === 0) return drift;
  const done = new Set(applied.map(({ name }) => name));
  const expected = await readExpected(
    sql,
    known.filter(({ name }) => done.has(name)),
  ).catch((error: unknown) => {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw lacksTemporary(rights, error);
  });
  const foreign = new Set(applied.map(({ owner }) => owner));
  for (const { owner } of known) foreign.delete(owner);
  const foreignPrefixes = [...foreign].map(tablePrefix);
  const isForeign = ({ name }: SchemaObject) => foreignPrefixes.some((prefix) => name.startsWith(prefix));
  return [
    ...drift,
    ...differences(
      textByObject(
        actual.filter((object) => !isForeign(object)),
        schemaOf(sql),
      ),
      textByObject(expected, SCRATCH_SCHEMA),
    ),
  ];
}

/** Definitions without the name of their schema, by kind and name; overloaded functions share an entry. */
function textByObject(objects: readonly SchemaObject[], schema: string): Map<string, string> {
  const texts = new Map<string, string[]>();
  for (const { kind, name, definition } of objects) {
    const key = `${kind} ${name}`;
    texts.set(key, [...(texts.get(key) ?? []), withoutSchema(definition, schema)]);
  }
  return new Map([...texts].map(([key, found]) => [key, found.sort().join("\n")]));
}

function differences(actual: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): Drift[] {
  const missing = [...expected.keys()].filter((object) => !actual.has(object));
  const changed = [...expected].filter(([object, text]) => (actual.get(object) ?? text) !== text);
  const added = [...actual.keys()].filter((object) => !expected.has(object));
  return [
    ...missing.map((object) => ({ object, difference: "is missing" })),
    ...changed.map(([object]) => ({ object, difference: "differs from the migrations" })),
    ...added.map((object) => ({ object, difference: "is not part of any migration" })),
  ];
}

function missingIn(applied: readonly AppliedMigration[], known: readonly Migration[]): Drift[] {
  const done = new Set(applied.map(({ name }) => name));
  return [
    ...known
      .filter(({ name }) => !done.has(name))
      .map(({ name }) => ({ object: `migration ${name}`, difference: "has not run" })),
    ...unknownIn(applied, known).map(({ name }) => ({
      object: `migration ${name}`,
      difference: "has run, but this version does not have it",
    })),
  ];
}

function editedIn(applied: readonly AppliedMigration[], known: readonly Migration[]): Drift[] {
  const checksums = new Map(known.map(({ name, checksum }) => [name, checksum]));
  return applied
    .filter(({ name, checksum }) => checksum !== null && (checksums.get(name) ?? checksum) !== checksum)
    .map(({ name }) => ({ object: `migration ${name}`, difference: "was edited after it ran" }));
}

/** PostgreSQL's alias for the session's temporary schema. */
const SCRATCH_SCHEMA = "pg_temp";

class RollBack extends Error {}

/**
 * Runs migrations in the session's temporary schema, reads the result, and rolls back. Unlike a schema of its own, this needs no
 * privilege that a role usually lacks.
 */
async function readExpected(sql: Sql, migrations: readonly Migration[]): Promise<SchemaObject[]> {
  let expected: SchemaObject[] = [];
  const runInScratch = (tx: DriverTransaction, text: string) =>
    tx.unsafe(rewriteSchema(text, SCRATCH_SCHEMA));
  try {
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      await runInScratch(tx, CREATE_MIGRATION_TABLE);
      for (const { text } of migrations) await runInScratch(tx, text);
      expected = (await readScratchDefinitions(tx)).map((object) => ({
        ...object,
        definition: object.definition.replaceAll(/\bpg_temp_\d+(?=\.)/g, SCRATCH_SCHEMA),
      }));
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack)) throw error;
  }
  return expected;
}
