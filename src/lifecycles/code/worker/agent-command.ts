import { WorkerUnusable } from "./worker-errors.ts";

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
