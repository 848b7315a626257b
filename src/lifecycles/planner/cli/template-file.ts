import { isMap, isSeq, LineCounter } from "yaml";
import type { Node } from "yaml";
import { z } from "zod";
import { parseYaml } from "../../../std/parse-yaml.ts";
import { CliError, count, EXIT, oneLine } from "../../../plugin/index.ts";
import { templateTask } from "../template-api.ts";

const text = z.string().trim().min(1);

/** Fields that `templates show --json` prints are accepted, so that its output can be saved again. */
const file = z.strictObject({
  name: text,
  type: text,
  tasks: z.array(templateTask.strict()).min(1).max(200),
  id: z.unknown().optional(),
  project_id: z.unknown().optional(),
  created_by: z.unknown().optional(),
  created_at: z.unknown().optional(),
});

/** Parses the file of a template. Every mistake is reported with its line. */
export function parseTemplate(
  fileName: string,
  source: string,
  given: { name?: string | undefined; type?: string | undefined },
): Pick<z.output<typeof file>, "name" | "type" | "tasks"> {
  const lines = new LineCounter();
  const document = parseYaml(source, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line || 1;
  const syntax = document.errors.map(({ message, pos }) => ({ line: lineAt(pos[0]), message }));
  if (syntax.length > 0) throw invalid(fileName, syntax);
  const root = document.contents;
  if (!isMap(root)) throw invalid(fileName, [{ line: 1, message: "name, type and tasks are expected" }]);
  const lineOf = (path: readonly PropertyKey[]): number => {
    const found = path.reduce<unknown>((node, key) => {
      const next: unknown = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
      return next ?? node;
    }, root);
    return lineAt((found as Node).range?.[0]);
  };
  const parsed = file.safeParse({
    ...(document.toJS() as object),
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.type === undefined ? {} : { type: given.type }),
  });
  if (parsed.success) return { name: parsed.data.name, type: parsed.data.type, tasks: parsed.data.tasks };
  const errors = parsed.error.issues.map(({ path, message }) => ({
    line: lineOf(path),
    message: path.length === 0 ? message : `${path.join(".")}: ${message}`,
  }));
  throw invalid(fileName, errors);
}

function invalid(name: string, errors: readonly { line: number; message: string }[]): CliError {
  return new CliError(EXIT.usage, `${count(errors.length, "mistake")} in ${name}; nothing was saved.`, {
    hints: errors.slice(0, 20).map(({ line, message }) => `${name}:${line}: ${oneLine(message)}`),
    document: { code: "INVALID_TEMPLATE", file: name, errors },
  });
}
