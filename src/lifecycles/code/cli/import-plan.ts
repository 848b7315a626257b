import { createHash } from "node:crypto";
import {
  atServer,
  CliError,
  count,
  EXIT,
  graphText,
  oneLine,
  print,
  readTextFile,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeTask } from "../api.ts";
import { repositoryFor } from "./add-tasks.ts";
import { parseJsonPlan } from "./json-plan.ts";
import { parseMarkdownPlan } from "./markdown-plan.ts";
import { keyOf, resolvePlan } from "./plan.ts";
import type { Plan, PlanError } from "./plan.ts";

export type ImportOptions = ConnectFlags & {
  json?: true;
  file: string;
  yes?: true;
  allowUnknown?: true;
  repo?: string | false;
  review?: boolean;
  project?: string;
};

type PreviewedTask = Plan["tasks"][number] & { existing: CodeTask | null };

const MAX_SHOWN_ERRORS = 20;
const PAGE_SIZE = 200;

/** `pawl code import`: shows the tasks of a plan and their dependencies; with --yes creates those that do not exist yet. */
export async function importPlan(environment: CliEnvironment, options: ImportOptions): Promise<ExitCode> {
  const { out } = environment;
  const { file, project = "main", yes = false, json } = options;
  const { tasks, notes } = await readPlan(file, options);
  return atServer(environment, options, async ({ client }) => {
    const repository = await repositoryFor(options.repo);
    const existing = await existingTasks(client, project, repository);
    const previewed = tasks.map((task) => ({ ...task, existing: existing.get(keyOf(task.title)) ?? null }));
    const missing = previewed.filter((task) => task.existing === null);
    const created =
      yes && missing.length > 0 ? await create(client, previewed, { ...options, project, repository }) : [];
    return print(out, {
      json,
      value: { tasks: previewed.map(documentOf), notes, created },
      text: () =>
        [previewText(previewed, out.colours), ...notes, summaryOf(previewed, missing, options)].join("\n"),
    });
  });
}

async function readPlan(file: string, { allowUnknown }: Pick<ImportOptions, "allowUnknown">): Promise<Plan> {
  const { name, text } = await readTextFile(file);
  const isData = /\.(json|ya?ml)$/i.test(name) || (file === "-" && /^\s*[[{]/.test(text));
  const plan = resolvePlan(isData ? parseJsonPlan(text) : parseMarkdownPlan(text), {
    allowUnknown: allowUnknown === true,
  });
  if ("errors" in plan) throw invalidPlan(name, plan.errors);
  return plan;
}

function invalidPlan(file: string, errors: readonly PlanError[]): CliError {
  const lines = errors.map(({ line, message }) => `${file}:${line}: ${oneLine(message)}`);
  const more = lines.length - MAX_SHOWN_ERRORS;
  return new CliError(EXIT.usage, `${count(errors.length, "mistake")} in ${file}; nothing was created.`, {
    hints: [...lines.slice(0, MAX_SHOWN_ERRORS), ...(more > 0 ? [`and ${more} more`] : [])],
    document: { code: "INVALID_PLAN", file, errors },
  });
}

/** Reads the tasks of the project by title. A task of the same repository with the same title is the same task. */
async function existingTasks(
  client: Client,
  project_id: string,
  repository: string | null,
): Promise<Map<string, CodeTask>> {
  const calls = client.calls(CODE_ROUTES);
  const found = new Map<string, CodeTask>();
  for (let after: string | undefined; ;) {
    const { tasks, cursor } = await calls.listCodeTasks({ project_id, limit: PAGE_SIZE, cursor: after });
    for (const task of tasks)
      if ((task.repository ?? null) === repository) found.set(keyOf(task.title), task);
    if (cursor === null) return found;
    after = cursor;
  }
}

/** Creates the tasks that do not exist yet, in one request. Its key is made from its contents, so a repeat creates nothing. */
async function create(
  client: Client,
  tasks: readonly PreviewedTask[],
  { project, repository, review }: { project: string; repository: string | null; review?: boolean },
): Promise<CodeTask[]> {
  const ids = new Map(tasks.flatMap(({ ref, existing }) => (existing ? [[ref, existing.id] as const] : [])));
  const body = {
    project_id: project,
    tasks: tasks.flatMap(({ ref, title, description, acceptance, priority, blockers, more, existing }) =>
      existing
        ? []
        : [
            {
              ...{ repository, ...(review === undefined ? {} : { review }), ...more },
              ...{ ref, title, description, acceptance, priority },
              blocked_by: blockers.map((blocker) => ids.get(blocker) ?? blocker),
            },
          ],
    ),
  };
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const created = await client
    .calls(CODE_ROUTES)
    .createCodeTasks({ ...body, client_event_id: `import-${hash}` });
  return created.tasks;
}

function documentOf({ existing, blockers, line, ref, title }: PreviewedTask): object {
  return { line, ref, title, after: blockers, task_id: existing?.id ?? null };
}

function previewText(tasks: readonly PreviewedTask[], { dim }: CliEnvironment["out"]["colours"]): string {
  const nodes = tasks.map(({ ref, title, blockers, existing }) => ({
    id: ref,
    title: oneLine(title),
    status: existing?.status ?? (blockers.length === 0 ? "ready" : "blocked"),
  }));
  const edges = tasks.flatMap(({ ref, blockers }) => blockers.map((from) => ({ from, to: ref })));
  const byRef = new Map(tasks.map((task) => [task.ref, task]));
  return graphText(nodes, edges, ({ id, title }) => {
    const { line = 0, existing = null } = byRef.get(id) ?? {};
    return `${title}  ${dim(existing === null ? `line ${line}` : `exists, ${existing.status}`)}`;
  });
}

function summaryOf(
  tasks: readonly PreviewedTask[],
  missing: readonly PreviewedTask[],
  { yes }: Pick<ImportOptions, "yes">,
): string {
  const present = tasks.length - missing.length;
  const kept = present === 0 ? "" : ` ${count(present, "task")} existed already.`;
  if (missing.length === 0) return `Nothing to create: all ${count(tasks.length, "task")} exist.`;
  if (yes) return `${count(missing.length, "task")} created.${kept}`;
  return `${count(missing.length, "task")} to create.${kept} Nothing was created yet: add --yes to create them.`;
}
