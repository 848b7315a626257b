import { z } from "zod";
import { parseYaml } from "../../../std/parse-yaml.ts";
import { EXIT, CliError } from "../../../plugin/index.ts";
import { creationFields } from "../fields.ts";

const names = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const entry = creationFields
  .omit({ blocked_by: true, retry_of: true, clears: true })
  .extend({
    ref: z.union([z.string(), z.number()]).transform(String).optional(),
    after: names.optional(),
    on_failure: z.enum(["wait", "proceed", "fail"]).optional(),
  })
  .strict();

const MAX_TASKS = 500;

export type FiledTask = Omit<z.output<typeof entry>, "after"> & { blocked_by: string[] };

/** Reads tasks from YAML: a list, or `tasks:` with a list. A fault names the position of the mistake. */
export function readTaskFile(name: string, text: string): FiledTask[] {
  const document = parseYaml(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake) throw wrong(name, mistake.message.split("\n")[0] ?? "");
  const content = valueOf(name, document);
  const listed: unknown = Array.isArray(content) ? content : (content as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(listed) || listed.length === 0) throw wrong(name, "no list of tasks found");
  if (listed.length > MAX_TASKS)
    throw wrong(name, `${listed.length} tasks exceed the maximum of ${MAX_TASKS}`);
  return listed.map((one, index) => {
    const parsed = entry.safeParse(typeof one === "string" ? { title: one } : one);
    if (parsed.success) {
      const { after = [], ...task } = parsed.data;
      return { ...task, blocked_by: after };
    }
    const [issue] = parsed.error.issues;
    const where = issue?.path.length ? `, ${issue.path.join(".")}` : "";
    throw wrong(name, `task ${index + 1}${where}: ${issue?.message ?? "invalid"}`);
  });
}

function valueOf(name: string, document: ReturnType<typeof parseYaml>): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Aliases that multiply would fill the memory.
    throw wrong(name, (error as Error).message);
  }
}

function wrong(name: string, what: string): CliError {
  return new CliError(EXIT.usage, `${name}: ${what}.`, {
    document: { code: "INVALID_TASK_FILE", file: name },
  });
}
