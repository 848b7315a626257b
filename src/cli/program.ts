import { Command, Option } from "commander";
import { checkLifecycles } from "./check-lifecycles.ts";
import { DIAGRAM_FORMATS, drawLifecycle } from "./draw-lifecycle.ts";
import type { ExitCode } from "./exit-code.ts";
import { createOrg, resetAdmin } from "./keep-house.ts";
import { startServer } from "./start-server.ts";
import type { ServerFlags, Surroundings } from "./surroundings.ts";

type Leave = (code: ExitCode) => void;

/** Every command with its options and its help. */
export function buildProgram(surroundings: Surroundings, leave: Leave): Command {
  const program = prepare(new Command("pawl"), surroundings)
    .description(
      "Moves tasks through declared lifecycles: only along declared transitions, once, and on record.",
    )
    .version(surroundings.version, "-V, --version", "print the version")
    .addHelpText("after", titled(PROGRAM_HELP, surroundings));
  addCheck(program, surroundings, leave);
  addDiagram(program, surroundings, leave);
  addStart(program, surroundings, leave);
  addHouse(program, surroundings, leave);
  return program;
}

function addCheck(program: Command, surroundings: Surroundings, leave: Leave): void {
  program
    .command("check")
    .summary("prove that lifecycles keep their promises")
    .description(
      "Walks every situation a task of a lifecycle can get into and proves that each status is reached and left, and that each declared invariant always holds. What does not hold is printed with the shortest way there.",
    )
    .argument("[lifecycle]", "the one to check; all of them unless given")
    .addOption(configOption())
    .option("--json", "print the reports as JSON")
    .addHelpText("after", titled(CHECK_HELP, surroundings))
    .action(async (name: string | undefined, options: { config?: string; json?: true }) => {
      leave(await checkLifecycles(surroundings, { name, ...options }));
    });
}

function addDiagram(program: Command, surroundings: Surroundings, leave: Leave): void {
  program
    .command("diagram")
    .summary("print a lifecycle as a diagram, tables or JSON")
    .description("Prints a lifecycle as it is declared, so that no diagram is ever drawn by hand.")
    .argument("<lifecycle>", "the one to print")
    .addOption(
      new Option(
        "-f, --format <format>",
        "mermaid: a state diagram; table: its rules; markdown: a page with both",
      )
        .choices(DIAGRAM_FORMATS)
        .default("mermaid"),
    )
    .addOption(new Option("--json", "print the whole definition as JSON").conflicts("format"))
    .addOption(configOption())
    .addHelpText("after", titled(DIAGRAM_HELP, surroundings))
    .action(
      async (
        name: string,
        options: { format: (typeof DIAGRAM_FORMATS)[number]; config?: string; json?: true },
      ) => {
        leave(await drawLifecycle(surroundings, { name, ...options }));
      },
    );
}

function addStart(program: Command, surroundings: Surroundings, leave: Leave): void {
  program
    .command("start")
    .summary("run the server")
    .description(
      "Runs the server until it is told to stop: the first Ctrl-C lets it answer what is under way, the second ends it at once.",
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <port>", "the port to listen on (default: 4747)")
    .addOption(dataOption())
    .addOption(configOption())
    .addHelpText("after", titled(START_HELP, surroundings))
    .action(async (flags: ServerFlags) => {
      leave(await startServer(surroundings, flags));
    });
}

function addHouse(program: Command, surroundings: Surroundings, leave: Leave): void {
  program
    .command("orgs")
    .summary("add orgs, on the machine that holds the database")
    .description("Looks after the orgs of a database, on the machine that holds it.")
    .addCommand(
      inherit(program, "create")
        .description("Adds an org with a project and an admin, and prints his token.")
        .argument("<id>", "the id of the new org")
        .addOption(dataOption())
        .addOption(configOption())
        .option("--json", "print it as JSON")
        .action(async (id: string, flags: ServerFlags & { json?: true }) => {
          leave(await createOrg(surroundings, { id, ...flags }));
        }),
    );
  program
    .command("tokens")
    .summary("give the admin a new token, on the machine that holds the database")
    .description("Looks after tokens without one, on the machine that holds the database.")
    .addCommand(
      inherit(program, "reset-admin")
        .description(
          "Makes a new token for the member `admin`, who is an active admin again if he was not. The tokens that Pawl made for him before are refused from then on.",
        )
        .option("--org <id>", "the org", "main")
        .addOption(dataOption())
        .addOption(configOption())
        .option("--json", "print it as JSON")
        .action(async (flags: ServerFlags & { org: string; json?: true }) => {
          leave(await resetAdmin(surroundings, flags));
        }),
    );
}

/** A command below another one, with what all have in common. */
function inherit(program: Command, name: string): Command {
  return new Command(name).copyInheritedSettings(program);
}

/** Set before the commands are added: each inherits it. */
function prepare(program: Command, { out, err }: Surroundings): Command {
  const { bold, cyan } = out.colours;
  return program
    .exitOverride()
    .configureHelp({ styleTitle: bold, styleSubcommandText: cyan, styleOptionText: cyan })
    .configureOutput({
      writeOut: out.write,
      writeErr: err.write,
      // Said once, by `run`.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(out.columns, 100),
      getErrHelpWidth: () => Math.min(err.columns, 100),
      getOutHasColors: () => out.colours.isColorSupported,
      getErrHasColors: () => err.colours.isColorSupported,
    });
}

function dataOption(): Option {
  return new Option("--data <folder>", "the folder of the embedded database (default: .pawl)");
}

function configOption(): Option {
  return new Option(
    "-c, --config <path>",
    "the configuration to read (default: pawl.config.ts, .mts, .js, .mjs or .cjs here)",
  );
}

function titled(help: string, { out }: Surroundings): string {
  return help.replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => out.colours.bold(title));
}

const PROGRAM_HELP = `
Examples:
  pawl check                     check every lifecycle there is
  pawl diagram board             draw one
  pawl start                     run the server

Exit codes:
  0  all is well
  1  a finding, or a mistake in a lifecycle or in the configuration
  2  wrong usage: an unknown command, option or lifecycle`;

const CHECK_HELP = `
Examples:
  pawl check                     every lifecycle: Pawl's own and those of pawl.config.ts
  pawl check planner             one of them
  pawl check --json | jq '.reports[].findings'

The exit code is 1 when there is any finding, a warning too.`;

const START_HELP = `
Examples:
  pawl start                     on http://127.0.0.1:4747, with a database of its own in .pawl
  pawl start --port 8080         elsewhere
  DATABASE_URL=postgres://user:password@host/database pawl start

Environment:
  PAWL_HOST, PAWL_PORT, PAWL_DATA, DATABASE_URL, PAWL_LOG_LEVEL, PAWL_SWEEP_SECONDS, PAWL_CORS_ORIGINS,
  PAWL_BODY_LIMIT_BYTES, and PAWL_ADMIN_TOKEN, which sets the admin's token.
  A flag goes before the environment, that before pawl.config.ts.`;

const DIAGRAM_HELP = `
Examples:
  pawl diagram board             a Mermaid state diagram
  pawl diagram board -f table    its rules, to read here
  pawl diagram board -f markdown > board.md
  pawl diagram board --json | jq '.actions[].name'`;
