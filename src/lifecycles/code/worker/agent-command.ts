import { Trouble } from "./setback.ts";

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

export type Blanks = Record<
  "prompt" | "prompt_file" | "mcp_config" | "mcp_url" | "task_id" | "worktree" | "branch",
  string
>;

export type AgentCommand = {
  program: string;
  args: string[];
  /** Where the prompt is not among the arguments. */ input: string | null;
};

/** Fills a template in: words as a shell would take them, and each blank is one word or a part of one, whatever is in it. */
export function agentCommand(template: string, blanks: Blanks): AgentCommand {
  const [program, ...args] = wordsOf(template).map((word) =>
    word.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(blanks, name) ? blanks[name as keyof Blanks] : whole,
    ),
  );
  if (program === undefined) throw new Trouble("The agent's command is empty.");
  const told = /\{(prompt|prompt_file)\}/.test(template);
  return { program, args, input: told ? null : blanks.prompt };
}

/** Splits at spaces, but not inside quotes; a backslash takes the next character as it is. */
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
  if (quote !== null) throw new Trouble(`The agent's command has a quote that is not closed: ${template}`);
  if (word !== null) words.push(word);
  return words;
}
