import { Argument, Option } from "commander";
import { completionScript, SHELLS } from "../completion.ts";
import type { Shell } from "../completion.ts";
import { examine } from "../examine.ts";
import { EXIT } from "../exit-code.ts";
import { createOrg } from "../keep-house.ts";
import { startServer } from "../start-server.ts";
import type { ServerFlags, StartFlags } from "../surroundings.ts";
import { verifyJournals } from "../verify-journals.ts";
import { configOption, dataOption, jsonOption, titled } from "./command-options.ts";
import type { AddCommands } from "../surroundings.ts";

/** What is done on the machine itself: `pawl start`, `pawl verify`, `pawl doctor`, `pawl orgs create`, completion. */
export const addHouseCommands: AddCommands = (program, surroundings, leave) => {
  addStart(program, surroundings, leave);
  addVerify(program, surroundings, leave);
  addDoctor(program, surroundings, leave);
  program
    .command("orgs")
    .summary("add orgs, on the machine that holds the database")
    .description("Looks after the orgs of a database, on the machine that holds it.")
    .addHelpText("after", titled(ORGS_HELP, surroundings))
    .command("create")
    .description("Adds an org with a project and an admin, and prints his token.")
    .argument("<id>", "the id of the new org")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id: string, flags: ServerFlags & { json?: true }) => {
      leave(await createOrg(surroundings, { id, ...flags }));
    });
  program
    .command("completion")
    .summary("print a script that completes commands in a shell")
    .description("Prints a script with which a shell completes the commands and options of pawl.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", titled(COMPLETION_HELP, surroundings))
    .action((shell: Shell) => {
      surroundings.out.write(completionScript(program, shell));
      leave(EXIT.fine);
    });
};

const addStart: AddCommands = (program, surroundings, leave) => {
  program
    .command("start")
    .summary("run the server")
    .description(
      "Runs the server until it is told to stop: the first Ctrl-C lets it answer what is under way, the second ends it at once.",
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <port>", "the port to listen on (default: 4747)")
    .option("--demo", "fill all lifecycles with simulated work, in an org of its own")
    .addOption(dataOption())
    .addOption(configOption())
    .addHelpText("after", titled(START_HELP, surroundings))
    .action(async (flags: StartFlags) => {
      leave(await startServer(surroundings, flags));
    });
};

const addVerify: AddCommands = (program, surroundings, leave) => {
  program
    .command("verify")
    .summary("hold every task against its journal, on the machine that holds the database")
    .description(
      "Rebuilds every task from its journal, compares, and checks the seals of the journal: finds what was changed behind Pawl's back. Only reads; a server may run meanwhile.",
    )
    .option("--org <id>", "of this org; all of them unless given")
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText("after", titled(VERIFY_HELP, surroundings))
    .action(async (options: ServerFlags & { org?: string; json?: true }) => {
      leave(await verifyJournals(surroundings, options));
    });
};

const addDoctor: AddCommands = (program, surroundings, leave) => {
  program
    .command("doctor")
    .summary("look for what is wrong, and say what to do")
    .description(
      "Looks at settings, Node, disk, database, migrations, clocks, connections, timers, tasks and the server, and says what is wrong and what to do. Changes nothing.",
    )
    .addOption(new Option("--url <url>", "the server (default: PAWL_URL, or the one that runs on --data)"))
    .addOption(dataOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText("after", titled(DOCTOR_HELP, surroundings))
    .action(async (options: ServerFlags & { url?: string; json?: true }) => {
      leave(await examine(surroundings, options));
    });
};

const START_HELP = `
Examples:
  pawl start                     on http://127.0.0.1:4747, with a database of its own in .pawl
  pawl start --port 8080         elsewhere
  pawl start --demo              something to look at; the console removes it in one click
  DATABASE_URL=postgres://user:password@host/database pawl start

Environment:
  PAWL_HOST, PAWL_PORT, PAWL_DATA, DATABASE_URL, PAWL_LOG_LEVEL, PAWL_SWEEP_SECONDS, PAWL_CORS_ORIGINS,
  PAWL_BODY_LIMIT_BYTES, and PAWL_ADMIN_TOKEN, which sets the admin's token.
  A flag goes before the environment, that before pawl.config.ts.`;

const ORGS_HELP = `
Examples:
  pawl orgs create acme          prints the token of its admin`;

const VERIFY_HELP = `
Examples:
  pawl verify                    every org
  pawl verify --org main --json | jq '.orgs[].differences'

The exit code is 1 when any task differs.`;

const DOCTOR_HELP = `
Examples:
  pawl doctor
  DATABASE_URL=postgres://… pawl doctor --json | jq '.diagnoses[] | select(.state == "wrong")'

The exit code is 1 when anything is wrong; what is only to note does not count.`;

const COMPLETION_HELP = `
Examples:
  source <(pawl completion bash)
  pawl completion zsh > "\${fpath[1]}/_pawl"
  pawl completion fish > ~/.config/fish/completions/pawl.fish`;
