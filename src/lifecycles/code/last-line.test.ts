import { expect, test } from "vitest";
import { lastLineOf, readableLines } from "./last-line.ts";

const assistant = (content: object[]) => JSON.stringify({ type: "assistant", message: { content } });

test.each([
  ["", null],
  ["one\ntwo\n\n", "two"],
  ["\u001b[32mgreen\u001b[0m\r\n", "green"],
  [assistant([{ type: "text", text: "Reading the parser\nand more" }]), "Reading the parser"],
  [assistant([{ type: "tool_use", name: "Bash", input: { command: "npm test" } }]), "Bash npm test"],
  [`before\n${JSON.stringify({ type: "system", subtype: "init" })}`, "before"],
  [JSON.stringify({ type: "result", result: "Done.\nAll of it." }), "Done."],
  ["{ half", "{ half"],
])("the last line of %j is %j", (output, line) => {
  expect(lastLineOf(output)).toBe(line);
});

const denial = {
  type: "system",
  subtype: "permission_denied",
  tool_name: "Bash",
  message: "It needs approval.",
};
const unavailable = { type: "result", subtype: "error_during_execution", errors: ["Sandbox required."] };
const toolResult = { type: "user", message: { content: [{ type: "tool_result", content: "x" }] } };

test.each([
  [
    assistant([{ type: "tool_use", name: "mcp__pawl__comment", input: { comment: "Hi" } }]),
    "mcp__pawl__comment Hi",
  ],
  [assistant([{ type: "thinking", thinking: "…" }]), null],
  [JSON.stringify(toolResult), null],
  [JSON.stringify(denial), "Bash denied: It needs approval."],
  [JSON.stringify(unavailable), "Sandbox required."],
])("Claude Code's %s is shown as %j", (output, line) => {
  expect(lastLineOf(output)).toBe(line);
});

const started = (item: object) => JSON.stringify({ type: "item.started", item });
const completed = (item: object) => JSON.stringify({ type: "item.completed", item });
const comment = { type: "mcp_tool_call", server: "pawl_task", tool: "comment" };
const patch = { type: "file_change", changes: [{ path: "/w/a" }, { path: "/w/b" }] };
const command = { type: "command_execution", command: "/bin/bash -lc 'npm test'" };

test.each([
  [JSON.stringify({ type: "thread.started", thread_id: "1" }), null],
  [started(command), "exec npm test"],
  [started({ ...command, command: '/bin/zsh -c "echo 1\n"' }), "exec echo 1"],
  [completed({ ...command, status: "completed", exit_code: 0 }), null],
  [completed({ ...command, status: "failed", exit_code: 1 }), "exec npm test failed"],
  [started(comment), "pawl_task comment"],
  [completed({ ...comment, status: "failed", error: { message: "No." } }), "pawl_task comment failed: No."],
  [completed({ ...patch, status: "completed" }), "edit /w/a, /w/b"],
  [completed({ type: "agent_message", text: "Done.\nAll of it." }), "Done."],
  [completed({ type: "error", message: "Model metadata not found." }), "Model metadata not found."],
  [JSON.stringify({ type: "error", message: "Reconnecting... 1/5" }), "Reconnecting... 1/5"],
  [JSON.stringify({ type: "turn.failed", error: { message: "401 Unauthorized" } }), "401 Unauthorized"],
  [JSON.stringify({ type: "turn.completed", usage: {} }), null],
])("Codex's %s is shown as %j", (output, line) => {
  expect(lastLineOf(output)).toBe(line);
});

test("fragments of a JSON line are not shown", () => {
  const line = assistant([{ type: "text", text: "Reading" }]);
  expect(lastLineOf(`before\n${line.slice(0, 40)}`)).toBe("before");
  expect(lastLineOf(`${line.slice(40)}\n`)).toBe(null);
  expect(lastLineOf("x".repeat(60_000))).toBe(null);
  expect(lastLineOf(`${line.slice(40)}\nafter\n`)).toBe("after");
});

test("a log is shown without the JSON lines that are not for people", () => {
  const log = [
    JSON.stringify(toolResult),
    assistant([{ type: "text", text: "Reading" }]),
    "\u001b[1mplain",
    "",
  ];
  expect(readableLines(log.join("\n"))).toEqual(["Reading", "plain"]);
});

test.each([
  [{ type: "init", session_id: "s", model: "m" }, null],
  [{ type: "message", role: "user", content: "The prompt" }, null],
  [{ type: "message", role: "assistant", content: "All done.\nReally.", delta: true }, "All done."],
  [{ type: "tool_use", tool_name: "write_file", parameters: { file_path: "/w/a" } }, "write_file /w/a"],
  [{ type: "tool_result", tool_id: "1", status: "success" }, null],
  [{ type: "error", severity: "error", message: "Too many turns" }, "Too many turns"],
  [{ type: "result", status: "success", stats: { input_tokens: 1 } }, null],
])("Gemini CLI's %j is shown as %j", (message, line) => {
  expect(lastLineOf(JSON.stringify(message))).toBe(line);
});

const opencodeTool = (state: object) => ({ type: "tool_use", part: { type: "tool", tool: "write", state } });

test.each([
  [{ type: "step_start", part: { type: "step-start" } }, null],
  [{ type: "text", part: { type: "text", text: "All done." } }, "All done."],
  [opencodeTool({ status: "completed", input: { filePath: "/w/a" } }), "write /w/a"],
  [
    opencodeTool({ status: "error", input: { filePath: "/w/a" }, error: "Denied\nhere" }),
    "write /w/a failed: Denied",
  ],
  [{ type: "error", error: { name: "APIError", data: { message: "Overloaded" } } }, "Overloaded"],
  [{ type: "step_finish", part: { type: "step-finish", tokens: {}, cost: 0 } }, null],
])("opencode's %j is shown as %j", (message, line) => {
  expect(lastLineOf(JSON.stringify(message))).toBe(line);
});
