import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { BUILT_PAWL, ROOT } from "../support/built-pawl.ts";

const execute = promisify(execFile);
const BASELINE = fileURLToPath(new URL("../fixtures/baseline.tgz", import.meta.url));

/** A version of Pawl that a test can start: its command line, and the working directory with its configuration. */
export type Version = {
  program: string[];
  cwd: string;
  /** Its compiled sources. */
  dist: string;
};

/** The version of `test/fixtures/baseline.tgz`. */
export async function baselineVersion(): Promise<Version> {
  const folder = await folderWithDependencies();
  await execute("tar", ["-xzf", BASELINE, "-C", folder]);
  return versionIn(join(folder, "package/dist"));
}

/** The version that is being developed. */
export function currentVersion(): Version {
  return { program: [...BUILT_PAWL], cwd: tmpdir(), dist: join(ROOT, "dist") };
}

/**
 * A version after the current one: a migration of the engine adds a column to every table, one of the planner adds a table, and
 * the configuration adds a plugin with migrations of its own.
 */
export async function nextVersion(): Promise<Version> {
  const folder = await folderWithDependencies();
  const dist = join(folder, "package/dist");
  await cp(join(ROOT, "dist"), dist, { recursive: true });
  await cp(join(ROOT, "package.json"), join(folder, "package/package.json"));
  await addMigration(join(dist, "engine/migrations"), ADD_COLUMNS);
  await addMigration(
    join(dist, "lifecycles/planner/migrations"),
    "create table pawl.planner_next (id integer);",
  );
  const cwd = join(folder, "project");
  await mkdir(join(cwd, "migrations"), { recursive: true });
  await writeFile(join(cwd, "pawl.config.ts"), CONFIG);
  await addMigration(join(cwd, "migrations"), "create table pawl.parcel_label (id integer);");
  return { ...versionIn(dist), cwd };
}

/** Names and texts of the migrations below a folder, such as `engine/migrations/0001-tables.sql`. */
export async function migrationTexts({ dist }: Version): Promise<Record<string, string>> {
  const files = (await readdir(dist, { recursive: true }))
    .filter((file) => /migrations.*\.sql$/.test(file))
    .sort();
  const texts = files.map(async (file) => [file, await readFile(join(dist, file), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function folderWithDependencies(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-version-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}

function versionIn(dist: string): Version {
  return { program: [join(dist, "main/bin.js")], cwd: tmpdir(), dist };
}

async function addMigration(folder: string, text: string): Promise<void> {
  const last = (await readdir(folder)).length;
  await writeFile(join(folder, `${String(last + 1).padStart(4, "0")}-next.sql`), text);
}

const ADD_COLUMNS = `
do $$
declare found record;
begin
  for found in select relname from pg_class where relnamespace = 'pawl'::regnamespace and relkind = 'r' loop
    execute format('alter table pawl.%I add column next_note text not null default %L', found.relname, 'next');
  end loop;
end $$;`;

const CONFIG = `
import { defineConfig, defineLifecycle } from "pawl";
import { definePlugin } from "pawl/plugin";
import { z } from "zod";
const lifecycle = defineLifecycle({
  name: "parcel",
  version: 1,
  summary: "Parcels",
  statuses: { packed: {}, sent: { final: true, success: true } },
  actions: { send: {} },
  creation: {
    input: z.object({ title: z.string() }),
    to: [{ status: "packed" }],
    draft: ({ input }) => ({ title: input.title, data: {} }),
  },
  rules: [{ action: "send", from: "packed", to: "sent", who: "anyone" }],
});
const parcel = definePlugin({ lifecycle, migrations: new URL("./migrations/", import.meta.url) });
export default defineConfig({ lifecycles: [parcel] });
`;
