import { Option } from "commander";
import { checkLifecycles } from "../check-lifecycles.ts";
import { DIAGRAM_FORMATS, drawLifecycle } from "../draw-lifecycle.ts";
import { initProject } from "../init-project.ts";
import { showLifecycles } from "../show-lifecycles.ts";
import { configOption, reaching, titled } from "./command-options.ts";
import type { AddCommands } from "../surroundings.ts";

/** What is declared: `pawl init`, `pawl check`, `pawl diagram`, and `pawl lifecycles` of a server. */
export const addLifecycleCommands: AddCommands = (program, surroundings, leave) => {
  program
    .command("init")
    .summary("write a first pawl.config.ts")
    .description(
      "Writes a pawl.config.ts with comments and a first lifecycle into this folder, and says what to do next. One that is there is left as it is.",
    )
    .addHelpText("after", titled(INIT_HELP, surroundings))
    .action(async () => {
      leave(await initProject(surroundings));
    });
  addCheck(program, surroundings, leave);
  addDiagram(program, surroundings, leave);
  reaching(program.command("lifecycles"))
    .summary("show the lifecycles that a server runs")
    .description(
      "Lists the lifecycles that the server runs, or shows the rules of one and what its tasks are made of.",
    )
    .argument("[name]", "the one to show")
    .addHelpText("after", titled(LIFECYCLES_HELP, surroundings))
    .action(async (name: string | undefined, options: object) => {
      leave(await showLifecycles(surroundings, { ...(name === undefined ? {} : { name }), ...options }));
    });
};

const addCheck: AddCommands = (program, surroundings, leave) => {
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
};

const addDiagram: AddCommands = (program, surroundings, leave) => {
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
};

const INIT_HELP = `
Examples:
  pawl init && pawl check errand`;

const CHECK_HELP = `
Examples:
  pawl check                     every lifecycle: Pawl's own and those of pawl.config.ts
  pawl check planner             one of them
  pawl check --json | jq '.reports[].findings'

The exit code is 1 when there is any finding, a warning too.`;

const DIAGRAM_HELP = `
Examples:
  pawl diagram board             a Mermaid state diagram
  pawl diagram board -f table    its rules, to read here
  pawl diagram board -f markdown > board.md
  pawl diagram board --json | jq '.actions[].name'`;

const LIFECYCLES_HELP = `
Examples:
  pawl lifecycles                all that the server runs
  pawl lifecycles board          its rules, and the fields of a new task`;
