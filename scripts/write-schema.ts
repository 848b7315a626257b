import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/postgres/open-database.ts";
import { migrate } from "../src/engine/upkeep/migrate.ts";
import { migrationSources } from "../src/main/plugins.ts";
import { PLUGINS } from "../src/lifecycles/index.ts";
import { dumpSchema } from "./dump-schema.ts";

/** Migrates an empty database on a temporary server and writes its schema to `file`; returns whether that changed. */
export async function writeSchema(file: URL): Promise<boolean> {
  const data = await mkdtemp(join(tmpdir(), "pawl-schema-"));
  const database = await openDatabase({ data, fsync: false, maxConnections: 1 });
  try {
    await migrate(database.sql, { sources: migrationSources(PLUGINS) });
    const schema = await dumpSchema(database.sql);
    if (schema === (await readFile(file, "utf8").catch(() => ""))) return false;
    await writeFile(file, schema);
    return true;
  } finally {
    await database.close();
    await rm(data, { recursive: true, force: true });
  }
}
