import { readdir, readFile } from "node:fs/promises";

/** The migrations of the engine's own tables. */
export const ENGINE_MIGRATIONS = new URL("../migrations/", import.meta.url);

export type Migration = { number: number; name: string; text: string };

/** All migrations in the order of their numbers: one sequence, each file in the room that owns its tables. */
export async function readMigrations(folders: readonly URL[]): Promise<Migration[]> {
  const files = await migrationFiles(folders);
  return Promise.all(
    files.map(async ({ name, url }) => ({
      number: Number.parseInt(name, 10),
      name,
      text: await readFile(url, "utf8"),
    })),
  );
}

/** Their names alone. */
export async function namesOfMigrations(folders: readonly URL[]): Promise<string[]> {
  return (await migrationFiles(folders)).map(({ name }) => name);
}

/** Triggers: they are left out where the database takes none, and can follow later. */
export function isDefence(name: string): boolean {
  return name.endsWith("-defences");
}

async function migrationFiles(folders: readonly URL[]): Promise<{ name: string; url: URL }[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder))
        .filter((file) => file.endsWith(".sql"))
        .map((file) => ({ name: file.replace(/\.sql$/, ""), url: new URL(file, folder) })),
    ),
  );
  return found.flat().sort((one, other) => (one.name < other.name ? -1 : 1));
}
