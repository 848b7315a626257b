import { Trouble } from "./setback.ts";

/** Claude Code without a person: what it says comes as JSON, a line each; Pawl's tools are at hand. */
export const DEFAULT_AGENT =
  "claude -p {prompt} --output-format stream-json --verbose --permission-mode acceptEdits --mcp-config {mcp_config}";

export type Blanks = Record<
  "prompt" | "prompt_file" | "mcp_config" | "task_id" | "worktree" | "branch",
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
