import { isMap, isSeq, LineCounter } from "yaml";
import type { Node } from "yaml";
import { z } from "zod";
import { parseYaml } from "../../../std/parse-yaml.ts";
import { creationFields } from "../fields.ts";
import type { ParsedPlan, PlanError, PlannedTask } from "./plan.ts";

const names = z
  .union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))])
  .transform((value) => [value].flat().map(String));

const entry = creationFields
  .omit({ blocked_by: true, retry_of: true, clears: true })
  .partial({ priority: true, auto_unblock: true, may_be_empty: true })
  .extend({ ref: z.union([z.string(), z.number()]).transform(String).optional(), after: names.optional() })
  .strict();

/** As `gh issue list --json number,title,body,labels` prints them. */
const issue = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string() })])).nullish(),
  state: z.string().optional(),
});

const MAX_TITLE_LENGTH = 200;
const DEPENDS = /\b(?:blocked by|depends on|after|requires)\b:?\s+((?:(?:,|and|&)?\s*#\d+)+)/gi;
const SUBTASK = /^\s*[-*+]\s+\[ \]\s+#(\d+)\b/gm;

/** Reads tasks as JSON or YAML: Pawl's own list, `{"tasks": [...]}`, or GitHub's issues. Errors have the line of their entry. */
export function parseJsonPlan(text: string): ParsedPlan {
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines, prettyErrors: true });
  const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line || 1;
  const errors: PlanError[] = document.errors.map(({ message, pos }) => ({
    line: lines.linePos(pos[0]).line || 1,
    message: message.split("\n")[0]?.replace(/ at line \d+.*$/, "") ?? "",
  }));
  const root = document.contents;
  const list = isMap(root) ? root.get("tasks", true) : root;
  if (errors.length > 0) return { tasks: [], done: [], errors };
  if (!isSeq(list))
    return { tasks: [], done: [], errors: [{ line: lineOf(root), message: "no list of tasks found" }] };
  const entries: { node: unknown; value: unknown }[] = [];
  for (const node of list.items) {
    try {
      entries.push({ node, value: (node as Node).toJS(document) });
    } catch (error) {
      // Aliases that multiply would fill the memory.
      return { tasks: [], done: [], errors: [{ line: lineOf(node), message: (error as Error).message }] };
    }
  }
  const areIssues = entries.length > 0 && entries.every(({ value }) => isIssue(value));
  const plan: ParsedPlan = { tasks: [], done: [], errors: [] };
  for (const [index, { node, value }] of entries.entries()) {
    const line = lineOf(node);
    if (areIssues) addIssue(plan, issue.parse(value), line);
    else
      addEntry(plan, value, {
        line,
        index,
        lineOf: (name) => lineOf(isMap(node) ? node.get(name, true) : node),
      });
  }
  return plan;
}

function isIssue(value: unknown): boolean {
  return issue.safeParse(value).success;
}

function addEntry(
  { tasks, errors }: ParsedPlan,
  value: unknown,
  { line, index, lineOf }: { line: number; index: number; lineOf: (name: string) => number },
): void {
  const parsed = entry.safeParse(typeof value === "string" ? { title: value } : value);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      const [field] = path;
      const where = typeof field === "string" ? lineOf(field) : line;
      errors.push({
        line: where || line,
        message: `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`,
      });
    }
    return;
  }
  const {
    ref = `task ${index + 1}`,
    title,
    description,
    acceptance,
    priority = 0,
    after = [],
    ...more
  } = parsed.data;
  const at = lineOf("after") || line;
  const task: PlannedTask = {
    ...{ ref, title, priority, line, more },
    description: description ?? null,
    acceptance: acceptance ?? null,
    after: after.map((name) => ({ name, line: at })),
  };
  tasks.push(task);
}

function addIssue(
  { tasks, done }: ParsedPlan,
  { number, title, body, labels, state }: z.output<typeof issue>,
  line: number,
): void {
  if (state?.toUpperCase() === "CLOSED") {
    done.push(`#${number}`);
    return;
  }
  const text = body ?? "";
  const referenced = [...text.matchAll(DEPENDS)].flatMap(([, list = ""]) => list.match(/\d+/g) ?? []);
  const subtasks = [...text.matchAll(SUBTASK)].map(([, one = ""]) => one);
  const named = (labels ?? []).map((label) => (typeof label === "string" ? label : label.name));
  const about = [`GitHub issue #${number}`, ...(named.length === 0 ? [] : [`labels: ${named.join(", ")}`])];
  tasks.push({
    ref: `#${number}`,
    title: title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title,
    description: [text.trim(), about.join("; ")].filter(Boolean).join("\n\n"),
    acceptance: null,
    priority: 0,
    after: [...new Set([...referenced, ...subtasks])].map((one) => ({ name: `#${one}`, line })),
    line,
  });
}
