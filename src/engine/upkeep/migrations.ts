import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { PawlError } from "../../core/index.ts";

/** The numbered SQL files of one owner: the engine or a plugin. */
export type MigrationSource = { owner: string; folder: URL };

export const ENGINE_MIGRATIONS: MigrationSource = {
  owner: "pawl",
  folder: new URL("../migrations/", import.meta.url),
};

/** A migration's name is unique over all owners: `planner/0001-tables`. */
export type MigrationName = { owner: string; number: number; name: string };
export type Migration = MigrationName & {
  text: string;
  /** Hash of the text; git may have changed its line ends. */
  checksum: string;
};

/** Reads all migrations in the order in which they run: owner by owner, by their numbers. */
export async function readMigrations(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const files = await migrationFiles(sources);
  return Promise.all(
    files.map(async ({ url, ...file }) => {
      const text = await readFile(url, "utf8");
      return { ...file, text, checksum: checksumOf(text) };
    }),
  );
}

function checksumOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

export async function namesOfMigrations(sources: readonly MigrationSource[]): Promise<MigrationName[]> {
  return (await migrationFiles(sources)).map(({ owner, number, name }) => ({ owner, number, name }));
}

/** Checks whether a migration creates triggers. They are optional, since Citus lacks them, and can be added later. */
export function hasTriggers({ name }: MigrationName): boolean {
  return name.endsWith("-triggers");
}

async function migrationFiles(
  sources: readonly MigrationSource[],
): Promise<(MigrationName & { url: URL })[]> {
  const found = await Promise.all(
    sources.map(async ({ owner, folder }) => {
      // Without the slash, the names of the files would replace the folder's.
      const inside = new URL(`${folder.href.replace(/\/$/, "")}/`);
      const files = (await filesIn(owner, inside)).filter((file) => file.endsWith(".sql")).sort();
      return files.map((file, index) => {
        const number = Number.parseInt(file, 10);
        if (number !== index + 1)
          throw new PawlError(
            "INVALID_LIFECYCLE",
            `The migrations of ${owner} must be numbered 0001-…, 0002-… without gaps; ${file} is number ${index + 1}.`,
          );
        return { owner, number, name: `${owner}/${file.replace(/\.sql$/, "")}`, url: new URL(file, inside) };
      });
    }),
  );
  return found.flat();
}

async function filesIn(owner: string, folder: URL): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": the folder of its migrations cannot be read (${(error as Error).message}); name it as new URL("./migrations/", import.meta.url).`,
      {},
      { cause: error },
    );
  }
}
