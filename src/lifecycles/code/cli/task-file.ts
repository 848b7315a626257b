import { parseDocument } from "yaml";
import { z } from "zod";
import { EXIT, Fault } from "../../../plugin/index.ts";
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

const MOST = 500;

export type FiledTask = Omit<z.output<typeof entry>, "after"> & { blocked_by: string[] };

/** Reads tasks from YAML: a list of them, or `tasks:` and a list. Whatever is wrong is told with its place. */
export function readTaskFile(name: string, text: string): FiledTask[] {
  const document = parseDocument(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake) throw wrong(name, mistake.message.split("\n")[0] ?? "");
  const content = document.toJS() as unknown;
  const listed: unknown = Array.isArray(content) ? content : (content as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(listed) || listed.length === 0) throw wrong(name, "there is no list of tasks in it");
  if (listed.length > MOST)
    throw wrong(name, `${listed.length} tasks are more than can be made at once (${MOST})`);
  return listed.map((one, place) => {
    const parsed = entry.safeParse(typeof one === "string" ? { title: one } : one);
    if (parsed.success) {
      const { after = [], ...task } = parsed.data;
      return { ...task, blocked_by: after };
    }
    const [issue] = parsed.error.issues;
    const where = issue?.path.length ? `, ${issue.path.join(".")}` : "";
    throw wrong(name, `task ${place + 1}${where}: ${issue?.message ?? "wrong shape"}`);
  });
}

function wrong(name: string, what: string): Fault {
  return new Fault(EXIT.usage, `${name}: ${what}.`, { document: { code: "INVALID_TASK_FILE", file: name } });
}
