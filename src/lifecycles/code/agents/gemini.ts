import { amount, objectOf, textOrNull } from "./preset.ts";
import type { AgentMessage, AgentPreset, AgentState } from "./preset.ts";

/**
 * Gemini CLI without a terminal. It may edit files and call Pawl's tools. Its sandbox needs a container, so shell commands
 * are denied unless everything is allowed.
 */
export const gemini: AgentPreset = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  tested: "0.61.0",
  command: ({ allowEverything, session }) =>
    [
      "gemini -p {prompt} --output-format stream-json",
      // In a folder that is not trusted, Gemini CLI denies edits.
      `--skip-trust --approval-mode ${allowEverything ? "yolo" : "auto_edit"}`,
      ...(session === null ? [] : [`--resume ${session}`]),
    ].join(" "),
  // The defaults of the system are the weakest settings, so those of the machine's admin still apply.
  environment: ({ mcp_url, token }) => ({
    files: {
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: JSON.stringify({
        mcpServers: {
          pawl_task: { httpUrl: mcp_url, headers: { Authorization: `Bearer ${token}` }, trust: true },
        },
      }),
    },
  }),
  readMessage,
};

function readMessage(message: AgentMessage): Partial<AgentState> {
  const { type } = message;
  if (type === "init")
    return { began: true, session: textOrNull(message.session_id), model: textOrNull(message.model) };
  if (type === "tool_use") return { tool: textOrNull(message.tool_name) };
  if (type !== "result") return {};
  const stats = objectOf(message.stats);
  return {
    total: {
      input_tokens: amount(stats.input_tokens),
      cached_tokens: amount(stats.cached),
      output_tokens: amount(stats.output_tokens),
      cost_usd: null,
    },
  };
}
