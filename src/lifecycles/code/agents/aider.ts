import type { AgentPreset, AgentState } from "./preset.ts";

/**
 * aider edits files. It cannot call Pawl's tools, and it asks before it runs a shell command, which `--yes-always` does not
 * answer. Its history and its map of the repository would be files in the worktree, so they are turned off.
 */
export const aider: AgentPreset = {
  name: "aider",
  title: "aider",
  program: "aider",
  install: "python -m pip install aider-install && aider-install",
  tested: null,
  command: ({ allowEverything }) =>
    [
      "aider --message-file {prompt_file} --yes-always",
      "--no-auto-commits --no-dirty-commits --no-gitignore --map-tokens 0",
      "--chat-history-file /dev/null --input-history-file /dev/null",
      "--no-check-update --no-show-release-notes --no-analytics --no-pretty --no-stream",
      ...(allowEverything ? [] : ["--no-suggest-shell-commands"]),
    ].join(" "),
  readText,
};

const TOKENS =
  /^Tokens: ([\d.]+)([kM]?) sent,(?:.*?([\d.]+)([kM]?) cache hit,)? ?.*?([\d.]+)([kM]?) received\./;
const COST = /Cost: \$([\d.]+) message/;
const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1_000, M: 1_000_000 };

/** Reads lines such as `Tokens: 4.2k sent, 1.1k received. Cost: $0.01 message, $0.02 session.` */
function readText(line: string, { turns }: AgentState): Partial<AgentState> {
  const model = /^(?:Main model|Model): (\S+)/.exec(line)?.[1];
  if (model !== undefined) return { began: true, model };
  const found = TOKENS.exec(line);
  if (!found) return {};
  const tokens = (at: number) => Math.round(Number(found[at] ?? 0) * (FACTORS[found[at + 1] ?? ""] ?? 1));
  const cost = COST.exec(line)?.[1];
  const usage = {
    input_tokens: tokens(1),
    cached_tokens: tokens(3),
    output_tokens: tokens(5),
    cost_usd: cost === undefined ? null : Number(cost),
  };
  return { began: true, turns: { ...turns, [`${Object.keys(turns).length}`]: usage } };
}
