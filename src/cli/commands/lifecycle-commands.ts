import { Option } from "commander";
import { checkLifecycles } from "../check-lifecycles.ts";
import { DIAGRAM_FORMATS, drawLifecycle } from "../draw-lifecycle.ts";
import { initProject } from "../init-project.ts";
import { showLifecycles } from "../show-lifecycles.ts";
import { configOption, withServerOptions, formatHelp } from "./command-options.ts";
import type { AddCommands } from "../cli-environment.ts";

/** Adds `pawl init`, `pawl check` and `pawl diagram`, and `pawl lifecycles` for the lifecycles of a server. */
export const addLifecycleCommands: AddCommands = (program, environment, setExitCode) => {
  program
    .command("init")
    .summary("write a first pawl.config.ts and a worker")
    .description(
      "Writes a commented pawl.config.ts with a first lifecycle, and worker.ts with a worker for it, into this folder and prints the next steps. An existing file is not changed.",
    )
    .addHelpText("after", formatHelp(INIT_HELP, environment))
    .action(async () => {
      setExitCode(await initProject(environment));
    });
  addCheck(program, environment, setExitCode);
  addDiagram(program, environment, setExitCode);
  withServerOptions(program.command("lifecycles"))
    .summary("show the lifecycles of a server")
    .description("Lists the lifecycles of the server, or shows the rules of one and the fields of its tasks.")
    .argument("[name]", "the lifecycle to show")
    .addHelpText("after", formatHelp(LIFECYCLES_HELP, environment))
    .action(async (name: string | undefined, options: object) => {
      setExitCode(await showLifecycles(environment, { ...(name === undefined ? {} : { name }), ...options }));
    });
};

const addCheck: AddCommands = (program, environment, setExitCode) => {
  program
    .command("check")
    .summary("check lifecycles for errors and broken invariants")
    .description(
      "Explores every situation that a task of a lifecycle can reach, and proves that each status can be reached and left, and that each declared invariant always holds. For each error it prints the shortest path that leads to it.",
    )
    .argument("[lifecycle]", "the lifecycle to check (default: all)")
    .addOption(configOption())
    .option("--json", "print the reports as JSON")
    .addHelpText("after", formatHelp(CHECK_HELP, environment))
    .action(async (name: string | undefined, options: { config?: string; json?: true }) => {
      setExitCode(await checkLifecycles(environment, { name, ...options }));
    });
};

const addDiagram: AddCommands = (program, environment, setExitCode) => {
  program
    .command("diagram")
    .summary("print a lifecycle as a diagram, tables or JSON")
    .description("Prints a lifecycle as a diagram, as tables or as JSON, generated from its declaration.")
    .argument("<lifecycle>", "the lifecycle to print")
    .addOption(
      new Option(
        "-f, --format <format>",
        "mermaid: a state diagram; table: the rules; markdown: a page with both",
      )
        .choices(DIAGRAM_FORMATS)
        .default("mermaid"),
    )
    .addOption(new Option("--json", "print the whole definition as JSON").conflicts("format"))
    .addOption(configOption())
    .addHelpText("after", formatHelp(DIAGRAM_HELP, environment))
    .action(
      async (
        name: string,
        options: { format: (typeof DIAGRAM_FORMATS)[number]; config?: string; json?: true },
      ) => {
        setExitCode(await drawLifecycle(environment, { name, ...options }));
      },
    );
};

const INIT_HELP = `
Examples:
  pawl init && pawl check errand`;

const CHECK_HELP = `
Examples:
  pawl check                     the built-in ones and those of pawl.config.ts
  pawl check planner             one lifecycle
  pawl check --json | jq '.reports[].findings'

The exit code is 1 if there is an error or a warning.`;

const DIAGRAM_HELP = `
Examples:
  pawl diagram board             a Mermaid state diagram
  pawl diagram board -f table    the rules as a table
  pawl diagram board -f markdown > board.md
  pawl diagram board --json | jq '.actions[].name'`;

const LIFECYCLES_HELP = `
Examples:
  pawl lifecycles                all lifecycles of the server
  pawl lifecycles board          the rules, and the fields of a new task`;
