import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A tool call that the simulated model makes, independent of the agent's names for its tools. */
export type ToolCall =
  { write: string; content: string } | { shell: string } | { pawl: string; input: Record<string, unknown> };

export type ModelApi = {
  url: string;
  /** The result of each tool call, as the agent reported it to the model. */
  results: string[];
  /** The largest number of prompts in one conversation; more than one: a session was continued. */
  prompts: number;
  /** Requests to the model, with the refused ones. */
  requests: number;
  /** Requests outside of the model's API, and attempts to reach other hosts through the proxy. */
  unexpected: string[];
};

export type ModelOptions = {
  /** The tool calls after the second prompt of a conversation. */
  later?: readonly ToolCall[];
  /** How many requests are refused at first, with status 429. */
  rateLimited?: number;
  /** Called before the answer to each request, with its number. */
  onRequest?: (request: number) => Promise<void>;
};

/** A heading that each of Pawl's prompts has once. */
const PROMPT_HEADING = "## How to work here";

/**
 * Simulates the Anthropic Messages API, the OpenAI Responses API and the Gemini API: streams one tool call per turn, then a text.
 * Also acts as a proxy that records and refuses requests to any other host.
 */
export async function openModelApi(
  calls: () => Promise<ToolCall[]>,
  finalText: string,
  { later, rateLimited = 0, onRequest }: ModelOptions = {},
): Promise<ModelApi> {
  const api: ModelApi = { url: "", results: [], prompts: 0, requests: 0, unexpected: [] };
  let script: Promise<ToolCall[]> | null = null;
  let resultsBefore = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const dialect = dialectOf(request.url);
    if (request.method !== "POST" || !dialect) {
      // Claude Code requests the root once to check that the host is reachable.
      if (request.method !== "HEAD") api.unexpected.push(`${request.method ?? ""} ${request.url ?? ""}`);
      response.writeHead(404).end();
      return;
    }
    api.requests++;
    if (api.requests <= rateLimited) {
      const error = { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Too many requests" };
      const headers = { "content-type": "application/json", "retry-after": "0" };
      response.writeHead(429, headers).end(JSON.stringify({ type: "error", error }));
      return;
    }
    const conversation = dialect.resultsIn(JSON.parse(body) as Conversation);
    if (conversation.length > api.results.length) api.results = conversation;
    const prompts = body.split(PROMPT_HEADING).length - 1;
    // Agents may restore a session with more or fewer results than they sent before.
    if (prompts > api.prompts) resultsBefore = conversation.length;
    api.prompts = Math.max(api.prompts, prompts);
    await onRequest?.(api.requests);
    const isContinued = prompts > 1 && later !== undefined;
    const call = isContinued
      ? later[conversation.length - resultsBefore]
      : (await (script ??= calls()))[conversation.length];
    const turn = `${conversation.length}`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const tools = toolNames(body);
    for (const event of call ? dialect.callTool(call, turn, tools) : dialect.finish(finalText, turn))
      response.write((dialect.format ?? formatEvent)(event));
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on("connect", ({ url }, socket) => {
    api.unexpected.push(`CONNECT ${url ?? ""}`);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return api;
}

type Content = string | { type: string; text?: string; content?: Content }[];
type Conversation = {
  messages?: { content: Content }[];
  input?: { type?: string; output?: Content }[];
  contents?: { parts: { functionResponse?: { response: { output?: string; error?: string } } }[] }[];
  tools?: { name?: string }[];
};
type StreamEvent = { type: string } & Record<string, unknown>;

type Dialect = {
  resultsIn: (conversation: Conversation) => string[];
  /** `tools` are the names of the tools that the agent offers, in the dialects of several agents. */
  callTool: (call: ToolCall, turn: string, tools: readonly string[]) => StreamEvent[];
  finish: (message: string, turn: string) => StreamEvent[];
  format?: (event: StreamEvent) => string;
};

function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const ANTHROPIC: Dialect = {
  resultsIn: ({ messages = [] }) =>
    messages
      .flatMap(({ content }) => (typeof content === "string" ? [] : content))
      .flatMap((part) => (part.type === "tool_result" ? [textOf(part.content)] : [])),
  callTool: (call, turn, tools) => {
    const [name, input] = tools.includes("Write") ? claudeTool(call) : opencodeTool(call);
    return anthropicMessage(turn, {
      block: { type: "tool_use", id: `toolu_${turn}`, name, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
      stop_reason: "tool_use",
    });
  },
  finish: (message, turn) =>
    anthropicMessage(turn, {
      block: { type: "text", text: "" },
      delta: { type: "text_delta", text: message },
      stop_reason: "end_turn",
    }),
};

function claudeTool(call: ToolCall): [name: string, input: object] {
  if ("write" in call) return ["Write", { file_path: call.write, content: call.content }];
  if ("shell" in call) return ["Bash", { command: call.shell, description: "Runs a command" }];
  return [`mcp__pawl__${call.pawl}`, call.input];
}

/** opencode speaks the same API with its own tools. */
function opencodeTool(call: ToolCall): [name: string, input: object] {
  if ("write" in call) return ["write", { filePath: call.write, content: call.content }];
  if ("shell" in call) return ["bash", { command: call.shell, description: "Runs a command" }];
  return [`pawl_task_${call.pawl}`, call.input];
}

function anthropicMessage(
  turn: string,
  { block, delta, stop_reason }: { block: object; delta: object; stop_reason: string },
): StreamEvent[] {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = {
    ...{ id: `msg_${turn}`, type: "message", role: "assistant", model: "stand-in", content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage },
  };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

const OPENAI: Dialect = {
  resultsIn: ({ input = [] }) =>
    input.flatMap(({ type = "", output }) => (type.endsWith("_call_output") ? [textOf(output)] : [])),
  callTool: (call, turn) => openaiResponse(turn, { ...codexTool(call), call_id: `call_${turn}` }),
  finish: (message, turn) =>
    openaiResponse(turn, {
      ...{ type: "message", role: "assistant", id: `msg_${turn}` },
      content: [{ type: "output_text", text: message }],
    }),
};

function codexTool(call: ToolCall): object {
  if ("write" in call) {
    const added = call.content
      .trimEnd()
      .split("\n")
      .map((line) => `+${line}\n`)
      .join("");
    const input = `*** Begin Patch\n*** Add File: ${call.write}\n${added}*** End Patch\n`;
    return { type: "custom_tool_call", name: "apply_patch", input };
  }
  if ("shell" in call)
    return { type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: call.shell }) };
  const args = JSON.stringify(call.input);
  return { type: "function_call", namespace: "mcp__pawl_task", name: call.pawl, arguments: args };
}

function openaiResponse(turn: string, item: object): StreamEvent[] {
  const id = `resp_${turn}`;
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return [
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", item },
    { type: "response.completed", response: { id, usage } },
  ];
}

const GEMINI: Dialect = {
  resultsIn: ({ contents = [] }) =>
    contents
      .flatMap(({ parts }) => parts)
      .flatMap(({ functionResponse: result }) =>
        result ? [result.response.error ?? result.response.output ?? ""] : [],
      ),
  callTool: (call, turn) => [geminiChunk(turn, { functionCall: geminiTool(call) })],
  finish: (message, turn) => [geminiChunk(turn, { text: message })],
  // Gemini CLI reads only lines of data.
  format: ({ type: _, ...data }) => `data: ${JSON.stringify(data)}\r\n\r\n`,
};

function geminiTool(call: ToolCall): object {
  if ("write" in call) return { name: "write_file", args: { file_path: call.write, content: call.content } };
  if ("shell" in call) return { name: "run_shell_command", args: { command: call.shell } };
  return { name: `mcp_pawl_task_${call.pawl}`, args: call.input };
}

function geminiChunk(turn: string, part: object): StreamEvent {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
  return { type: "message", responseId: turn, modelVersion: "stand-in", candidates, usageMetadata };
}

function dialectOf(address = "/"): Dialect | null {
  const { pathname } = new URL(address, "http://model");
  if (pathname === "/v1/messages") return ANTHROPIC;
  if (pathname === "/v1/responses") return OPENAI;
  return pathname.endsWith(":streamGenerateContent") ? GEMINI : null;
}

function toolNames(body: string): string[] {
  const { tools = [] } = JSON.parse(body) as Conversation;
  return tools.flatMap(({ name }) => name ?? []);
}

function textOf(content: Content = ""): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.text ?? textOf(part.content)).join("\n");
}
