import { amount, objectOf, textOrNull } from "./preset.ts";
import type { AgentMessage, AgentPreset, AgentState } from "./preset.ts";

/**
 * Codex with the same permissions as Claude Code. The MCP server is not called `pawl`: Codex merges these settings into a
 * server of that name in its configuration files, as written by `pawl setup codex`, and refuses the mixture.
 */
export const codex: AgentPreset = {
  name: "codex",
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  tested: "0.166.0",
  command: ({ allowEverything, session }) =>
    [
      "codex exec --json",
      allowEverything ? "--dangerously-bypass-approvals-and-sandbox" : "--sandbox workspace-write",
      "-c mcp_servers.pawl_task.url={mcp_url}",
      "-c mcp_servers.pawl_task.bearer_token_env_var=PAWL_TOKEN",
      // Without it, Codex asks for approval of each call, which an unattended run cannot give.
      "-c mcp_servers.pawl_task.default_tools_approval_mode=approve",
      ...(session === null ? [] : [`resume ${session}`]),
      "{prompt}",
    ].join(" "),
  readMessage,
  // `turn.completed` has the tokens of the whole thread.
  cumulative: "tokens",
};

function readMessage(message: AgentMessage): Partial<AgentState> {
  const { type } = message;
  if (type === "thread.started") return { began: true, session: textOrNull(message.thread_id) };
  if (type === "item.started" || type === "item.completed") return readItem(objectOf(message.item));
  if (type !== "turn.completed") return {};
  const usage = objectOf(message.usage);
  return {
    total: {
      input_tokens: amount(usage.input_tokens),
      cached_tokens: amount(usage.cached_input_tokens),
      output_tokens: amount(usage.output_tokens),
      cost_usd: null,
    },
  };
}

function readItem({ type, tool }: AgentMessage): Partial<AgentState> {
  if (type === "command_execution") return { tool: "exec" };
  if (type === "file_change") return { tool: "edit" };
  if (type === "mcp_tool_call") return { tool: textOrNull(tool) };
  return type === "web_search" ? { tool: "web_search" } : {};
}
