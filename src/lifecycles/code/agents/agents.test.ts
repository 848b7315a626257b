import { describe, expect, test } from "vitest";
import { agentName, AgentReader, commandOf, findPreset, outputPreset, PRESETS } from "./index.ts";
import type { AgentUsage } from "./index.ts";

function readerOf(agent: string, lines: readonly unknown[], before: AgentUsage | null = null): AgentReader {
  const reader = new AgentReader(findPreset(agent), before);
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  // Output arrives in pieces of any length.
  for (let at = 0; at < text.length; at += 7) reader.append(text.slice(at, at + 7));
  return reader;
}

const turn = (id: string, content: object[] = []) => ({
  type: "assistant",
  message: {
    id,
    content,
    usage: {
      input_tokens: 100,
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 10,
      output_tokens: 5,
    },
  },
});

describe("Claude Code's output", () => {
  const init = { type: "system", subtype: "init", session_id: "bf572392-4607", model: "opus" };
  const result = {
    type: "result",
    total_cost_usd: 0.5,
    usage: {
      input_tokens: 200,
      cache_read_input_tokens: 2_000,
      cache_creation_input_tokens: 20,
      output_tokens: 90,
    },
  };

  test("has session, model, the last tool, and the total in its result", () => {
    const reader = readerOf("claude", [init, turn("m1", [{ type: "tool_use", name: "Bash" }]), result]);
    expect(reader).toMatchObject({ began: true, session: "bf572392-4607", model: "opus", tool: "Bash" });
    const usage = { input_tokens: 2_220, cached_tokens: 2_000, output_tokens: 90, cost_usd: 0.5 };
    expect(reader.usage).toEqual(usage);
  });

  test("without a result, each message counts once", () => {
    const { usage } = readerOf("claude", [init, turn("m1"), turn("m1"), turn("m2")]);
    expect(usage).toEqual({ input_tokens: 2_220, cached_tokens: 2_000, output_tokens: 10, cost_usd: null });
  });

  test("has the whole session's cost if it was continued; only the part of the run counts", () => {
    const before = { input_tokens: 9_999, cached_tokens: 0, output_tokens: 9_999, cost_usd: 0.25 };
    expect(readerOf("claude", [init, result], before).usage).toEqual({
      input_tokens: 2_220,
      cached_tokens: 2_000,
      output_tokens: 90,
      cost_usd: 0.25,
    });
  });

  test("shows that the agent has not begun if the session is gone", () => {
    const gone = { ...result, session_id: "gone", errors: ["No conversation found"] };
    expect(readerOf("claude", [gone])).toMatchObject({ began: false, session: null });
  });

  test.each(["x --dangerously-skip-permissions", "-x", "a'b", "", "x".repeat(201)])(
    "with the session id %j is not continued: the id becomes part of a command",
    (session_id) => {
      expect(readerOf("claude", [{ ...init, session_id }]).session).toBeNull();
    },
  );
});

describe("Codex's output", () => {
  const started = { type: "thread.started", thread_id: "01a1edb5-21bb" };
  const completed = {
    type: "turn.completed",
    usage: { input_tokens: 400, cached_input_tokens: 160, output_tokens: 200 },
  };

  test("has the tokens of the thread, of which the run's part counts", () => {
    const usage = { input_tokens: 400, cached_tokens: 160, output_tokens: 200, cost_usd: null };
    expect(readerOf("codex", [started, completed]).usage).toEqual(usage);
    const before = { input_tokens: 300, cached_tokens: 100, output_tokens: 150, cost_usd: null };
    expect(readerOf("codex", [started, completed], before).usage).toEqual({
      input_tokens: 100,
      cached_tokens: 60,
      output_tokens: 50,
      cost_usd: null,
    });
  });

  test("has the last tool call", () => {
    const items = [{ type: "command_execution" }, { type: "mcp_tool_call", tool: "comment" }];
    const reader = readerOf("codex", [started, ...items.map((item) => ({ type: "item.started", item }))]);
    expect(reader).toMatchObject({ session: "01a1edb5-21bb", tool: "comment", usage: null });
  });
});

test("Gemini CLI's result has the tokens", () => {
  const reader = readerOf("gemini", [
    { type: "init", session_id: "s-1", model: "gemini-3" },
    { type: "tool_use", tool_name: "replace" },
    { type: "result", stats: { input_tokens: 30, output_tokens: 4, cached: 10 } },
  ]);
  expect(reader).toMatchObject({ session: "s-1", model: "gemini-3", tool: "replace" });
  expect(reader.usage).toEqual({ input_tokens: 30, cached_tokens: 10, output_tokens: 4, cost_usd: null });
});

test("opencode's steps are added up", () => {
  const step = (id: string) => ({
    type: "step_finish",
    sessionID: "ses_1",
    part: { id, cost: 0.5, tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 100, write: 5 } } },
  });
  const reader = readerOf("opencode", [
    step("p1"),
    { type: "tool_use", sessionID: "ses_1", part: { tool: "edit" } },
    step("p2"),
  ]);
  expect(reader).toMatchObject({ session: "ses_1", tool: "edit" });
  expect(reader.usage).toEqual({ input_tokens: 230, cached_tokens: 200, output_tokens: 6, cost_usd: 1 });
});

test("aider's lines about tokens are added up", () => {
  const { usage } = readerOf("aider", [
    "Tokens: 4.2k sent, 1.1k received. Cost: $0.01 message, $0.01 session.",
    "Tokens: 800 sent, 12 received. Cost: $0.02 message, $0.03 session.",
  ]);
  expect(usage).toEqual({ input_tokens: 5_000, cached_tokens: 0, output_tokens: 1_112, cost_usd: 0.03 });
});

test.each(PRESETS)("$name ignores lines that are not its own", ({ name }) => {
  const lines = [
    "",
    "{",
    "{}",
    "null",
    '{"type":5,"message":[],"part":"x","usage":-1}',
    '["a"]',
    "Tokens: many",
  ];
  expect(readerOf(name, lines)).toMatchObject({ session: null, usage: null });
});

test("a command is recognized by its program", () => {
  const command = "/opt/bin/codex exec --json {prompt}";
  expect([outputPreset(command)?.name, agentName(command), findPreset(command)]).toEqual([
    "codex",
    "codex",
    null,
  ]);
  expect([outputPreset("./my-agent x"), agentName("./my-agent x")]).toEqual([null, "my-agent"]);
});

test.each([
  ["claude", "--resume s-1", "--dangerously-skip-permissions"],
  ["codex", "resume s-1 {prompt}", "--dangerously-bypass-approvals-and-sandbox"],
  ["gemini", "--resume s-1", "--approval-mode yolo"],
  ["opencode", "--session s-1 {prompt}", "--auto"],
])("%s continues a session, and has no limits only if everything is allowed", (agent, resume, unlimited) => {
  const safe = commandOf(agent, { allowEverything: false, session: null });
  expect(safe).not.toContain(unlimited);
  expect(safe).not.toContain("s-1");
  expect(commandOf(agent, { allowEverything: true, session: null })).toContain(unlimited);
  expect(commandOf(agent, { allowEverything: false, session: "s-1" })).toContain(resume);
});
