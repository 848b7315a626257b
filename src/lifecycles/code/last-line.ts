const LONGEST = 300;

/** The last thing an agent said, in a line for people. */
export function lastLineOf(output: string): string | null {
  const lines = output.split("\n");
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = readableLine(lines[at] ?? "");
    if (line !== null) return line;
  }
  return null;
}

/** A line as people read it: agents that speak JSON are quoted, and what says nothing is null. */
export function readableLine(line: string): string | null {
  const text = line.trim();
  if (text === "") return null;
  if (!text.startsWith("{")) return cut(text);
  try {
    const said = sayingOf(JSON.parse(text) as Saying);
    return said === null ? null : cut(said);
  } catch {
    return cut(text);
  }
}

/** What a line of `--output-format stream-json` may hold. */
type Saying = {
  type?: string;
  result?: unknown;
  message?: { content?: unknown };
};
type Part = { type?: string; text?: string; name?: string; input?: Record<string, unknown> };

function sayingOf({ type, result, message }: Saying): string | null {
  if (type === "result" && typeof result === "string") return firstLine(result);
  if (type !== "assistant" || !Array.isArray(message?.content)) return null;
  const parts = message.content as Part[];
  const last = parts.findLast(
    (part) => part.type === "tool_use" || (part.type === "text" && part.text?.trim()),
  );
  if (!last) return null;
  if (last.type === "text") return firstLine(last.text ?? "");
  const about = last.input?.command ?? last.input?.file_path ?? last.input?.pattern ?? "";
  return `${last.name ?? "tool"} ${typeof about === "string" ? firstLine(about) : ""}`.trim();
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** What steers a terminal is for a terminal, and not for a line. */
function cut(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u001f\u007f]/g, "").slice(0, LONGEST);
}
