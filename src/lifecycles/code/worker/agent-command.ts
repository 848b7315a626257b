import { WorkerUnusable } from "./worker-errors.ts";

/**
 * Claude Code without a terminal. It may edit files in the worktree, run any shell command inside its own sandbox, and
 * call Pawl's tools; everything else is denied. It refuses to start where the sandbox does not work.
 */
export const DEFAULT_AGENT = [
  "claude -p {prompt}",
  // In print mode, stream-json requires --verbose.
  "--output-format stream-json --verbose",
  "--permission-mode acceptEdits --allowedTools Bash,mcp__pawl",
  `--settings '{"sandbox":{"enabled":true,"failIfUnavailable":true,"allowUnsandboxedCommands":false}}'`,
  // Another server named pawl, as written by `pawl setup claude`, acts for another member.
  "--strict-mcp-config --mcp-config {mcp_config}",
].join(" ");

/** Programs that Claude Code's sandbox needs on Linux; Debian's packages are bubblewrap and socat. */
export const CLAUDE_SANDBOX_PROGRAMS = ["bwrap", "socat"] as const;

/**
 * Codex with the same permissions. The MCP server is not called `pawl`: Codex merges these settings into a server of that
 * name in its configuration files, as written by `pawl setup codex`, and refuses the mixture.
 */
export const CODEX_AGENT = [
  "codex exec --json --sandbox workspace-write",
  "-c mcp_servers.pawl_task.url={mcp_url}",
  "-c mcp_servers.pawl_task.bearer_token_env_var=PAWL_TOKEN",
  // Without it, Codex asks for approval of each call, which an unattended run cannot give.
  "-c mcp_servers.pawl_task.default_tools_approval_mode=approve",
  "{prompt}",
].join(" ");

export type PlaceholderValues = Record<
  "prompt" | "prompt_file" | "mcp_config" | "mcp_url" | "task_id" | "worktree" | "branch",
  string
>;

export type AgentCommand = {
  program: string;
  args: string[];
  /** The prompt, if the arguments do not contain it; for standard input. */
  input: string | null;
};

/** Fills in a template. It is split into words as in a shell, and a placeholder never adds a word. */
export function agentCommand(template: string, values: PlaceholderValues): AgentCommand {
  const [program, ...args] = wordsOf(template).map((word) =>
    word.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? values[name as keyof PlaceholderValues] : whole,
    ),
  );
  if (program === undefined) throw new WorkerUnusable("The agent's command is empty.");
  const hasPrompt = /\{(prompt|prompt_file)\}/.test(template);
  return { program, args, input: hasPrompt ? null : values.prompt };
}

/** Splits at spaces outside quotes; a backslash escapes the next character. */
export function wordsOf(template: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < template.length; at++) {
    const char = template[at] ?? "";
    if (char === "\\" && quote !== "'" && at + 1 < template.length)
      word = (word ?? "") + (template[++at] ?? "");
    else if (quote !== null && char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
      word ??= "";
    } else if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + char;
  }
  if (quote !== null) throw new WorkerUnusable(`The agent's command has an unclosed quote: ${template}`);
  if (word !== null) words.push(word);
  return words;
}
