import { amount, objectOf, textOrNull } from "./preset.ts";
import type { AgentMessage, AgentPreset, AgentState, AgentUsage } from "./preset.ts";

const SANDBOX = `--settings '{"sandbox":{"enabled":true,"failIfUnavailable":true,"allowUnsandboxedCommands":false}}'`;

/**
 * Claude Code without a terminal. It may edit files in the worktree, run any shell command inside its own sandbox, and
 * call Pawl's tools; everything else is denied. It refuses to start where the sandbox does not work.
 */
export const claude: AgentPreset = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  tested: "2.1.325",
  requires: ({ allowEverything }) => ({
    programs: allowEverything || process.platform !== "linux" ? [] : ["bwrap", "socat"],
    hint: "Claude Code's sandbox needs it: apt install bubblewrap socat.",
  }),
  command: ({ allowEverything, session }) =>
    [
      "claude -p {prompt}",
      // In print mode, stream-json requires --verbose.
      "--output-format stream-json --verbose",
      allowEverything
        ? "--dangerously-skip-permissions"
        : `--permission-mode acceptEdits --allowedTools Bash,mcp__pawl ${SANDBOX}`,
      ...(session === null ? [] : [`--resume ${session}`]),
      // Another server named pawl, as written by `pawl setup claude`, acts for another member.
      "--strict-mcp-config --mcp-config {mcp_config}",
    ].join(" "),
  readMessage,
  // A continued session reports its cost from the beginning, but the tokens of the run.
  cumulative: "cost",
};

function readMessage(message: AgentMessage, state: AgentState): Partial<AgentState> {
  const { type, subtype } = message;
  if (type === "system" && subtype === "init")
    return { began: true, session: textOrNull(message.session_id), model: textOrNull(message.model) };
  if (type === "assistant") return readAssistant(objectOf(message.message), state);
  if (type !== "result") return {};
  const cost_usd = typeof message.total_cost_usd === "number" ? amount(message.total_cost_usd) : null;
  return { total: { ...usageIn(objectOf(message.usage)), cost_usd } };
}

/** A run that is stopped reports no result, so the usage of its messages is added up; they have no cost. */
function readAssistant({ id, usage, content }: AgentMessage, { turns }: AgentState): Partial<AgentState> {
  const call = Array.isArray(content)
    ? content.map(objectOf).findLast(({ type }) => type === "tool_use")
    : null;
  return {
    ...(typeof id === "string" && usage ? { turns: { ...turns, [id]: usageIn(objectOf(usage)) } } : {}),
    ...(call ? { tool: textOrNull(call.name) } : {}),
  };
}

function usageIn(usage: AgentMessage): AgentUsage {
  const cached = amount(usage.cache_read_input_tokens);
  return {
    input_tokens: amount(usage.input_tokens) + amount(usage.cache_creation_input_tokens) + cached,
    cached_tokens: cached,
    output_tokens: amount(usage.output_tokens),
    cost_usd: null,
  };
}
