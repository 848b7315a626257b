import type { Command } from "commander";
import {
  atServer,
  CliError,
  count,
  EXIT,
  formatHelp,
  graphText,
  oneLine,
  print,
  readTextFile,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import { isUuid } from "../../../std/uuid.ts";
import type { PlannerTemplate } from "../template-api.ts";
import { allPages, callsOf, idCell } from "./planner-cells.ts";
import type { Flags, PlannerCalls } from "./planner-cells.ts";

type PlaceFlags = Flags & { project?: string };
type Run = (
  flags: Flags,
  work: (calls: PlannerCalls) => Promise<{ value: object; text: () => string }>,
) => Promise<void>;

/** `pawl planner templates …` */
export function addTemplateCommands(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  const group = planner
    .command("templates")
    .summary("save templates, and create all tasks of a product from one")
    .description("A template has the tasks of one kind of product, and their dependencies.")
    .addHelpText("after", formatHelp(HELP, environment));
  const run: Run = async ({ json, ...flags }, work) => {
    const exit: Promise<ExitCode> = atServer(environment, flags, async ({ client }) =>
      print(environment.out, { json, ...(await work(callsOf(client))) }),
    );
    setExitCode(await exit);
  };
  const command = (name: string, summary: string, description: string) =>
    withServerOptions(group.command(name))
      .summary(summary)
      .description(description)
      .option("--project <id>", "the project");
  addReading(command, run, environment);
  addWriting(command, run, environment);
}

type MakeCommand = (name: string, summary: string, description: string) => Command;

function addReading(command: MakeCommand, run: Run, { out }: CliEnvironment): void {
  command("list", "list templates", "Lists templates, oldest first.").action(
    async ({ project, ...flags }: PlaceFlags) => {
      await run(flags, async (calls) => {
        const templates = await allTemplates(calls, project);
        const rows = templates.map(({ id, name, type, tasks }) => [
          idCell(out, id),
          oneLine(name),
          oneLine(type),
          String(tasks.length),
        ]);
        const text = () =>
          rows.length === 0 ? "No templates." : textTable(["ID", "NAME", "TYPE", "TASKS"], rows, out);
        return { value: { templates }, text };
      });
    },
  );
  command("show <template>", "show the tasks of a template", "Shows a template and its dependencies.").action(
    async (typed: string, { project, ...flags }: PlaceFlags) => {
      await run(flags, async (calls) => {
        const template = await findTemplate(calls, typed, project);
        return { value: template, text: () => templateText(template) };
      });
    },
  );
}

function addWriting(command: MakeCommand, run: Run, { out }: CliEnvironment): void {
  command(
    "save <file>",
    "save a template from a file",
    "Saves a template from a YAML or JSON file; - reads standard input.",
  )
    .option("--name <name>", "the name (default: that of the file's contents)")
    .option("--type <type>", "the type of the deliverables (default: that of the file's contents)")
    .option("--key <client_event_id>", "idempotency key: repeating it does not save the template again")
    .action(async (file: string, { project, name, type, key, ...flags }: SaveFlags) => {
      const [{ parseTemplate }, read] = await Promise.all([import("./template-file.ts"), readTextFile(file)]);
      const given = parseTemplate(read.name, read.text, { name, type });
      await run(flags, async (calls) => {
        const body = { ...given, project_id: project, client_event_id: key };
        const template = await calls.createTemplate(body);
        return { value: template, text: () => `Saved ${template.id}\n${templateText(template)}` };
      });
    });
  command(
    "create <template> <serial>",
    "create a deliverable and all its tasks",
    "Creates a deliverable with this serial number and all tasks of the template: all or nothing.",
  )
    .option("--key <client_event_id>", "idempotency key: repeating it does not create them again")
    .action(
      async (typed: string, serial: string, { project, key, ...flags }: PlaceFlags & { key?: string }) => {
        await run(flags, async (calls) => {
          const { id } = await findTemplate(calls, typed, project);
          const made = await calls.createInstance({ id, serial, client_event_id: key });
          const rows = made.tasks.map((task) => [idCell(out, task.id), task.status, oneLine(task.title)]);
          const { type, id: deliverable } = made.deliverable;
          const text = () =>
            `${textTable(["ID", "STATUS", "TITLE"], rows, out)}\nCreated ${oneLine(type)} ${oneLine(serial)} (${deliverable}) with ${count(rows.length, "task")}.`;
          return { value: made, text };
        });
      },
    );
  command(
    "delete <template>",
    "delete a template",
    "Deletes a template; deliverables made from it stay.",
  ).action(async (typed: string, { project, ...flags }: PlaceFlags) => {
    await run(flags, async (calls) => {
      const { id } = await findTemplate(calls, typed, project);
      const template = await calls.deleteTemplate({ id });
      return { value: template, text: () => `Deleted ${oneLine(template.name)}.` };
    });
  });
}

type SaveFlags = PlaceFlags & { name?: string; type?: string; key?: string };

function allTemplates(calls: PlannerCalls, project: string | undefined): Promise<PlannerTemplate[]> {
  return allPages(async (cursor) => {
    const page = await calls.listTemplates({ project_id: project, cursor, limit: 200 });
    return { rows: page.templates, cursor: page.cursor };
  });
}

/** Finds a template by its id, or by its name if only one has it. */
async function findTemplate(
  calls: PlannerCalls,
  typed: string,
  project: string | undefined,
): Promise<PlannerTemplate> {
  if (isUuid(typed)) return calls.getTemplate({ id: typed });
  const found = (await allTemplates(calls, project)).filter(
    ({ id, name }) => name === typed || (typed.length >= 4 && id.endsWith(typed.toLowerCase())),
  );
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError(EXIT.refused, `There is no template "${oneLine(typed)}".`, {
      hints: ["`pawl planner templates list` shows those that you may see."],
      document: { code: "NOT_FOUND", name: typed },
    });
  if (others.length > 0)
    throw new CliError(EXIT.usage, `Several templates match "${oneLine(typed)}": use --project or the id.`, {
      hints: found.map(({ id, name, project_id }) => `- ${id} ${oneLine(name)} of ${project_id}`),
      document: { code: "AMBIGUOUS_ID", ids: found.map(({ id }) => id) },
    });
  return first;
}

function templateText({ name, type, tasks }: PlannerTemplate): string {
  const nodes = tasks.map(({ ref, title, required_trade, depends_on }) => ({
    id: ref,
    title: oneLine(required_trade === null ? title : `${title} (${required_trade})`),
    status: depends_on.length === 0 ? "available" : "blocked",
  }));
  const edges = tasks.flatMap(({ ref, depends_on }) => depends_on.map((from) => ({ from, to: ref })));
  const graph = graphText(nodes, edges, ({ title }) => title);
  return `${oneLine(name)}: ${count(tasks.length, "task")} for each ${oneLine(type)}\n${graph}`;
}

const HELP = `
Examples:
  pawl planner templates save frame.yaml --project hall
  pawl planner templates show frame
  pawl planner templates create frame F-7

A file of a template:
  name: frame
  type: frame
  tasks:
    - { ref: cut, title: Cut the frame, required_trade: welder, estimate_minutes: 30 }
    - { ref: weld, title: Weld the frame, required_trade: welder, depends_on: [cut] }`;
