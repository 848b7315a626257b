const MAX_LENGTH = 300;
/** A longer line is data, not text for people. */
const MAX_PLAIN_LENGTH = 10_000;

/** Returns the last readable line of an agent's output, which may begin in the middle of a line. */
export function lastLineOf(output: string): string | null {
  const lines = output.split("\n");
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = at === 0 && isTailOfJson(lines[0] ?? "") ? null : readableLine(lines[at] ?? "");
    if (line !== null) return line;
  }
  return null;
}

/** Returns the lines of an output that are for people, as `readableLine` shows them. */
export function readableLines(output: string): string[] {
  return output.split(/\r?\n|\r/).flatMap((line) => readableLine(line) ?? []);
}

/** Converts a line to text for people: shortens the agents' JSON messages; null: nothing to show. */
export function readableLine(line: string): string | null {
  const text = line.trim();
  if (text === "") return null;
  if (!text.startsWith("{")) return text.length > MAX_PLAIN_LENGTH ? null : cut(text);
  try {
    const readable = textOfMessage(JSON.parse(text) as AgentMessage);
    return readable ? cut(readable) : null;
  } catch {
    // An incomplete line of JSON: the rest comes later, or was too long to keep.
    return text.startsWith('{"') ? null : cut(text);
  }
}

function isTailOfJson(line: string): boolean {
  const text = line.trim();
  return !text.startsWith("{") && text.endsWith("}");
}

/** Lines of Claude Code's and Gemini CLI's `--output-format stream-json`, `codex exec --json` and `opencode run --format json`. */
type AgentMessage = {
  type?: string;
  subtype?: string;
  role?: string;
  content?: unknown;
  tool_name?: string;
  parameters?: ToolInput;
  part?: OpencodePart;
  result?: unknown;
  errors?: unknown;
  message?: string | { content?: unknown };
  error?: { name?: string; message?: string; data?: { message?: string } };
  item?: CodexItem;
};
type ToolInput = Record<string, unknown>;
type Part = { type?: string; text?: string; name?: string; input?: ToolInput };
type OpencodePart = {
  text?: string;
  tool?: string;
  state?: { status?: string; input?: ToolInput; error?: string };
};
type CodexItem = {
  type?: string;
  status?: string;
  text?: string;
  message?: string;
  command?: string;
  query?: string;
  server?: string;
  tool?: string;
  error?: { message?: string } | null;
  changes?: { path?: string }[];
};

function textOfMessage(line: AgentMessage): string | null {
  const { type, subtype, message, error, item } = line;
  if (type === "result") return resultOf(line);
  if (type === "assistant" && typeof message === "object") return assistantOf(message.content);
  if (type === "system" && subtype === "permission_denied" && typeof message === "string")
    return `${line.tool_name ?? "tool"} denied: ${firstLine(message)}`;
  if (type === "item.started" && item) return startedItemOf(item);
  if (type === "item.completed" && item) return completedItemOf(item);
  if (type === "turn.failed") return firstLine(error?.message ?? "");
  if (type === "message" && line.role === "assistant" && typeof line.content === "string")
    return firstLine(line.content);
  if (type === "tool_use" && line.tool_name) return toolCall(line.tool_name, line.parameters);
  if (line.part) return opencodePartOf(line.part);
  if (type !== "error") return null;
  const text =
    typeof message === "string" ? message : (error?.data?.message ?? error?.message ?? error?.name);
  return text ? firstLine(text) : null;
}

function opencodePartOf({ text, tool, state }: OpencodePart): string | null {
  if (text) return firstLine(text);
  if (!tool) return null;
  const failed = state?.status === "error" ? ` failed: ${firstLine(state.error ?? "")}` : "";
  return `${toolCall(tool, state?.input)}${failed}`;
}

function resultOf({ result, errors }: AgentMessage): string | null {
  if (typeof result === "string") return firstLine(result);
  const [error] = Array.isArray(errors) ? (errors as unknown[]) : [];
  return typeof error === "string" ? firstLine(error) : null;
}

function assistantOf(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const last = (content as Part[]).findLast(
    (part) => part.type === "tool_use" || (part.type === "text" && part.text?.trim()),
  );
  if (!last) return null;
  if (last.type === "text") return firstLine(last.text ?? "");
  return toolCall(last.name ?? "tool", last.input);
}

/** Formats a tool call with the most informative part of its input. */
function toolCall(tool: string, input: ToolInput = {}): string {
  const { command, file_path, filePath, pattern, comment, action } = input;
  const about = command ?? file_path ?? filePath ?? pattern ?? comment ?? action ?? "";
  return `${tool} ${typeof about === "string" ? firstLine(about) : ""}`.trim();
}

function startedItemOf({ type, command, query, server, tool }: CodexItem): string | null {
  if (type === "command_execution") return `exec ${firstLine(withoutShell(command ?? ""))}`;
  if (type === "mcp_tool_call") return `${server ?? "mcp"} ${tool ?? ""}`.trim();
  return type === "web_search" && query ? `search ${firstLine(query)}` : null;
}

function completedItemOf(item: CodexItem): string | null {
  const { type, status, text, message, changes = [], error } = item;
  if (type === "agent_message" || type === "reasoning") return text ? firstLine(text) : null;
  if (type === "error") return message ? firstLine(message) : null;
  const failed = status === "failed" ? " failed" : "";
  if (type === "file_change") return `edit ${changes.map(({ path }) => path ?? "").join(", ")}${failed}`;
  // The start of the item was shown already.
  if (failed === "") return null;
  const started = startedItemOf(item);
  return started === null
    ? null
    : `${started}${failed}${error?.message ? `: ${firstLine(error.message)}` : ""}`;
}

/** Codex reports `npm test` as `/bin/bash -lc 'npm test'`. */
function withoutShell(command: string): string {
  const [, quoted] = /^\S*sh -l?c (.+)$/s.exec(command) ?? [];
  return (quoted ?? command).replace(/^(["'])(.*)\1$/s, "$2");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** Removes terminal control sequences and limits the length. */
function cut(text: string): string {
  return text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u001f\u007f-\u009f]/g, "")
    .slice(0, MAX_LENGTH);
}
