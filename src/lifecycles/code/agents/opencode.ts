import { amount, objectOf, textOrNull } from "./preset.ts";
import type { AgentMessage, AgentPreset, AgentState } from "./preset.ts";

/** opencode has no sandbox: it may edit files of the worktree and call Pawl's tools; shell commands are denied. */
const PERMISSIONS = { edit: "allow", bash: "deny", webfetch: "deny", external_directory: "deny" };

/** opencode without a terminal. */
export const opencode: AgentPreset = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  tested: "1.18.33",
  command: ({ allowEverything, session }) =>
    [
      "opencode run --format json",
      ...(allowEverything ? ["--auto"] : []),
      ...(session === null ? [] : [`--session ${session}`]),
      "{prompt}",
    ].join(" "),
  environment: ({ mcp_url, token, allowEverything }) => ({
    variables: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        ...(allowEverything ? {} : { permission: PERMISSIONS }),
        mcp: {
          pawl_task: {
            type: "remote",
            url: mcp_url,
            headers: { Authorization: `Bearer ${token}` },
            oauth: false,
          },
        },
      }),
    },
  }),
  readMessage,
};

function readMessage(message: AgentMessage, { turns }: AgentState): Partial<AgentState> {
  const part = objectOf(message.part);
  const session = textOrNull(message.sessionID);
  const began = session === null ? {} : { began: true, session };
  if (message.type === "tool_use") return { ...began, tool: textOrNull(part.tool) };
  if (message.type !== "step_finish") return began;
  const tokens = objectOf(part.tokens);
  const cache = objectOf(tokens.cache);
  const usage = {
    input_tokens: amount(tokens.input) + amount(cache.read) + amount(cache.write),
    cached_tokens: amount(cache.read),
    output_tokens: amount(tokens.output) + amount(tokens.reasoning),
    cost_usd: typeof part.cost === "number" ? amount(part.cost) : null,
  };
  const id = textOrNull(part.id) ?? `${Object.keys(turns).length}`;
  return { ...began, turns: { ...turns, [id]: usage } };
}
