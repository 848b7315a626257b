import { Argument, Option } from "commander";
import { completionScript, SHELLS } from "../completion.ts";
import type { Shell } from "../completion.ts";
import { runDoctor } from "../doctor.ts";
import { EXIT } from "../exit-code.ts";
import { createOrg } from "../admin-database.ts";
import { checkSchema, migrateSchema, printGrants, printMigrations } from "../migrate-schema.ts";
import { startServer } from "../start-server.ts";
import type { ServerFlags, StartFlags } from "../cli-environment.ts";
import { verifyJournals } from "../verify-journals.ts";
import { configOption, dataOption, formatHelp, jsonOption, urlOption } from "./command-options.ts";
import type { AddCommands } from "../cli-environment.ts";

/** Adds the commands for the machine of the server: `pawl start`, `migrate`, `verify`, `doctor`, `orgs create` and `completion`. */
export const addServerCommands: AddCommands = (program, environment, setExitCode) => {
  addStart(program, environment, setExitCode);
  addMigrate(program, environment, setExitCode);
  addVerify(program, environment, setExitCode);
  addDoctor(program, environment, setExitCode);
  program
    .command("orgs")
    .summary("create orgs, on the machine with the database")
    .description("Manages the orgs of a database, on the machine with the database.")
    .addHelpText("after", formatHelp(ORGS_HELP, environment))
    .command("create")
    .summary("create an org, and print its admin token")
    .description("Creates an org with a project and an admin, and prints the admin token.")
    .argument("<id>", "the id of the new org")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id: string, flags: ServerFlags & { json?: true }) => {
      setExitCode(await createOrg(environment, { id, ...flags }));
    });
  program
    .command("completion")
    .summary("print a completion script for a shell")
    .description("Prints a script that completes the commands and options of pawl in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", formatHelp(COMPLETION_HELP, environment))
    .action((shell: Shell) => {
      environment.out.write(completionScript(program, shell));
      setExitCode(EXIT.fine);
    });
};

const addStart: AddCommands = (program, environment, setExitCode) => {
  program
    .command("start")
    .summary("run the server")
    .description(
      "Runs the server. The first Ctrl-C stops it after the requests in progress are answered, a second one stops it at once.",
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <port>", "the port to listen on (default: 4747)")
    .option("--demo", "run a demo: simulated work in all lifecycles, in a separate org")
    .addOption(dataOption())
    .addOption(configOption())
    .addHelpText("after", formatHelp(START_HELP, environment))
    .action(async (flags: StartFlags) => {
      setExitCode(await startServer(environment, flags));
    });
};

type MigrateFlags = ServerFlags & { dryRun?: true; check?: true; grant?: string; json?: true };

const addMigrate: AddCommands = (program, environment, setExitCode) => {
  program
    .command("migrate")
    .summary("migrate the database, show its SQL, or check it for drift")
    .description(
      "Brings the schema up to this version, as the owner of the schema. `pawl start` does the same, unless PAWL_MIGRATE is false.",
    )
    .addOption(
      new Option("--dry-run", "print the SQL that would run, and change nothing").conflicts([
        "check",
        "grant",
      ]),
    )
    .addOption(
      new Option("--check", "compare the schema with the migrations, and change nothing").conflicts("grant"),
    )
    .option(
      "--grant <role>",
      "print the GRANT statements for a role that runs the server without changing tables",
    )
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption().conflicts(["dryRun", "grant"]))
    .addHelpText("after", formatHelp(MIGRATE_HELP, environment))
    .action(async ({ dryRun, check, grant, json, ...flags }: MigrateFlags) => {
      if (dryRun) setExitCode(await printMigrations(environment, flags));
      else if (check) setExitCode(await checkSchema(environment, { ...flags, json }));
      else if (grant !== undefined) setExitCode(await printGrants(environment, grant, flags));
      else setExitCode(await migrateSchema(environment, { ...flags, json }));
    });
};

const addVerify: AddCommands = (program, environment, setExitCode) => {
  program
    .command("verify")
    .summary("compare every task with its journal, on the machine with the database")
    .description(
      "Rebuilds every task from its journal, compares the two, and checks the hashes of the journal, to find changes that were made outside of Pawl. Only reads; a server may be running.",
    )
    .option("--org <id>", "only this org (default: all)")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText("after", formatHelp(VERIFY_HELP, environment))
    .action(async (options: ServerFlags & { org?: string; json?: true }) => {
      setExitCode(await verifyJournals(environment, options));
    });
};

const addDoctor: AddCommands = (program, environment, setExitCode) => {
  program
    .command("doctor")
    .summary("find problems and suggest fixes")
    .description(
      "Checks settings, Node, disk, database, migrations, clocks, connections, timers, tasks and the server. Reports problems and how to fix them. Changes nothing.",
    )
    .addOption(urlOption())
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText("after", formatHelp(DOCTOR_HELP, environment))
    .action(async (options: ServerFlags & { url?: string; json?: true }) => {
      setExitCode(await runDoctor(environment, options));
    });
};

const START_HELP = `
Examples:
  pawl start                     on http://127.0.0.1:4747, with its data in .pawl
  pawl start --port 8080         on another port
  pawl start --demo              with a demo that the console can remove
  DATABASE_URL=postgres://user:password@host/database pawl start

Environment:
  PAWL_HOST, PAWL_PORT, PAWL_DATA, DATABASE_URL, PAWL_SCHEMA,
  PAWL_MIGRATE, PAWL_BUILT_IN_PLUGINS, PAWL_LOG_LEVEL,
  PAWL_SWEEP_SECONDS, PAWL_CORS_ORIGINS, PAWL_BODY_LIMIT_BYTES, and
  PAWL_ADMIN_TOKEN, which sets the admin token.
  Options override the environment, which overrides pawl.config.ts.`;

const ORGS_HELP = `
Examples:
  pawl orgs create acme          prints its admin token`;

const MIGRATE_HELP = `
Examples:
  pawl migrate                   run the missing migrations
  pawl migrate --dry-run | psql -v ON_ERROR_STOP=1 "$DATABASE_URL"
  pawl migrate --check           exit code 1 if the schema differs
  pawl migrate --grant pawl_app | psql -v ON_ERROR_STOP=1 "$DATABASE_URL"

--check finds migrations that are missing, unknown or were edited after they ran,
and tables, columns, indexes, constraints, functions and triggers that differ.`;

const VERIFY_HELP = `
Examples:
  pawl verify                    all orgs
  pawl verify --org main --json | jq '.orgs[].differences'

The exit code is 1 if a task differs.`;

const DOCTOR_HELP = `
Examples:
  pawl doctor
  pawl doctor --json | jq '.diagnoses[] | select(.state == "wrong")'

The exit code is 1 if a problem is found; warnings do not count.`;

const COMPLETION_HELP = `
Examples:
  source <(pawl completion bash)
  pawl completion zsh > "\${fpath[1]}/_pawl"
  pawl completion fish > ~/.config/fish/completions/pawl.fish`;
