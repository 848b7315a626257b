import { isStorable } from "../../../core/index.ts";
import { creationFields } from "../fields.ts";

/** A task of a plan, before it is created. */
export type PlannedTask = {
  ref: string;
  title: string;
  description: string | null;
  acceptance: string | null;
  priority: number;
  /** Names of other tasks, each with its line. */
  after: { name: string; line: number }[];
  line: number;
  /** Other fields of the creation request. */
  more?: Record<string, unknown>;
};

/** A mistake in a plan, with its line. */
export type PlanError = { line: number; message: string };

/** Tasks read from a file. `done` are names of finished tasks, for which nothing waits. */
export type ParsedPlan = { tasks: PlannedTask[]; done: string[]; errors: PlanError[] };

/** A plan whose references are resolved. */
export type Plan = { tasks: ResolvedTask[]; notes: string[] };

type ResolvedTask = PlannedTask & {
  /** Refs of the tasks that it waits for. */
  blockers: string[];
};

const MAX_PLANNED_TASKS = 500;

/** Resolves references by ref or by title, and finds unknown ones, duplicates and cycles. Returns a plan, or all errors. */
export function resolvePlan(
  parsed: ParsedPlan,
  { allowUnknown = false }: { allowUnknown?: boolean } = {},
): Plan | { errors: PlanError[] } {
  const { tasks } = parsed;
  const errors = [...parsed.errors, ...fieldErrors(tasks)];
  const notes: string[] = [];
  if (tasks.length === 0 && errors.length === 0) errors.push({ line: 1, message: "no open tasks found" });
  if (tasks.length > MAX_PLANNED_TASKS)
    errors.push({ line: 1, message: `${tasks.length} tasks exceed the maximum of ${MAX_PLANNED_TASKS}` });
  const names = new Map<string, PlannedTask[]>();
  for (const task of tasks)
    for (const name of new Set([keyOf(task.ref), keyOf(task.title)]))
      names.set(name, [...(names.get(name) ?? []), task]);
  const done = new Set(parsed.done.map(keyOf));
  /** The lines of references: from the dependent's ref to the blocker's. */
  const lines = new Map<string, number>();
  const resolved = tasks.map((task) => {
    const blockers = task.after.flatMap(({ name, line }) => {
      const found = names.get(keyOf(name)) ?? [];
      if (found.length > 1) {
        errors.push({ line, message: `"${name}" names ${found.length} tasks: lines ${linesOf(found)}` });
        return [];
      }
      if (found[0]) {
        lines.set(edgeOf(task.ref, found[0].ref), line);
        return [found[0].ref];
      }
      if (done.has(keyOf(name))) return [];
      if (allowUnknown) notes.push(`line ${line}: "${name}" is not in the file and is ignored`);
      else errors.push({ line, message: `there is no task "${name}"` });
      return [];
    });
    return { ...task, blockers: [...new Set(blockers)] };
  });
  const cycle = findCycle(resolved, lines);
  if (cycle) errors.push(cycle);
  return errors.length > 0 ? { errors: errors.sort((a, b) => a.line - b.line) } : { tasks: resolved, notes };
}

function fieldErrors(tasks: readonly PlannedTask[]): PlanError[] {
  const errors: PlanError[] = [];
  const lines = new Map<string, number>();
  const titles = new Map<string, number>();
  for (const { ref, line, title, description, acceptance, priority } of tasks) {
    const parsed = creationFields.safeParse({ title, description, acceptance, priority });
    for (const { path, message } of parsed.error?.issues ?? [])
      errors.push({ line, message: `${path.join(".")}: ${message}` });
    for (const [name, value] of Object.entries({ ref, title, description, acceptance }))
      if (!isStorable(value ?? ""))
        errors.push({ line, message: `${name}: text must not hold NUL or lone surrogates` });
    const [sameRef, sameTitle] = [lines.get(keyOf(ref)), titles.get(keyOf(title))];
    if (sameRef !== undefined) errors.push({ line, message: `"${ref}" is also the name of line ${sameRef}` });
    else if (sameTitle !== undefined)
      errors.push({ line, message: `the title is the same as on line ${sameTitle}` });
    lines.set(keyOf(ref), line);
    titles.set(keyOf(title), line);
  }
  return errors;
}

function linesOf(tasks: readonly PlannedTask[]): string {
  return tasks.map(({ line }) => line).join(", ");
}

/** Finds a cycle by depth-first search; its error is on the line of the reference that closes it. */
function findCycle(tasks: readonly ResolvedTask[], lines: ReadonlyMap<string, number>): PlanError | null {
  const byRef = new Map(tasks.map((task) => [task.ref, task]));
  const finished = new Set<string>();
  const visit = (ref: string, path: string[]): PlanError | null => {
    if (finished.has(ref)) return null;
    const task = byRef.get(ref);
    const start = path.indexOf(ref);
    if (start >= 0) {
      const titles = [...path.slice(start), ref].map((one) => `"${byRef.get(one)?.title ?? one}"`);
      return {
        line: lines.get(edgeOf(path.at(-1) ?? "", ref)) ?? task?.line ?? 1,
        message: `these tasks wait for each other: ${titles.join(" after ")}`,
      };
    }
    for (const blocker of task?.blockers ?? []) {
      const found = visit(blocker, [...path, ref]);
      if (found) return found;
    }
    finished.add(ref);
    return null;
  };
  for (const { ref } of tasks) {
    const found = visit(ref, []);
    if (found) return found;
  }
  return null;
}

function edgeOf(dependent: string, blocker: string): string {
  return JSON.stringify([dependent, blocker]);
}

/** Names are compared without case and repeated spaces. */
export function keyOf(name: string): string {
  return name.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
