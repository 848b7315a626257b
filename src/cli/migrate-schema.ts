import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import type { CliEnvironment, ServerFlags } from "./cli-environment.ts";
import { count, print } from "./print.ts";

type Flags = ServerFlags & { json?: true | undefined };

/** `pawl migrate` */
export async function migrateSchema(
  { out, admin }: CliEnvironment,
  { json, ...flags }: Flags,
): Promise<ExitCode> {
  const { schema, ran } = await admin.migrate(flags);
  const text = () =>
    ran.length === 0
      ? `Schema ${schema} is up to date.`
      : `Ran ${count(ran.length, "migration")} in schema ${schema}:\n${ran.map((name) => `  ${name}`).join("\n")}`;
  return print(out, { json, value: { schema, ran }, text });
}

/** `pawl migrate --dry-run`: SQL for psql; only a comment if nothing is missing. */
export async function printMigrations({ out, admin }: CliEnvironment, flags: ServerFlags): Promise<ExitCode> {
  out.write((await admin.migrationScript(flags)) ?? "-- The schema is up to date.\n");
  return EXIT.fine;
}

/** `pawl migrate --check` */
export async function checkSchema(
  { out, admin }: CliEnvironment,
  { json, ...flags }: Flags,
): Promise<ExitCode> {
  const { green, red } = out.colours;
  const { schema, drift } = await admin.findDrift(flags);
  print(out, {
    json,
    value: { ok: drift.length === 0, schema, drift },
    text: () =>
      drift.length === 0
        ? `${green("✓")} Schema ${schema} matches the migrations.`
        : [
            `${red("✗")} Schema ${schema} differs from the migrations:`,
            ...drift.map(({ object, difference }) => `  ${object} ${difference}`),
          ].join("\n"),
  });
  return drift.length === 0 ? EXIT.fine : EXIT.finding;
}

/** `pawl migrate --grant <role>` */
export async function printGrants(
  { out, admin }: CliEnvironment,
  role: string,
  flags: ServerFlags,
): Promise<ExitCode> {
  out.write(await admin.grantScript(role, flags));
  return EXIT.fine;
}
