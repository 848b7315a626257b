import { expect, test } from "vitest";
import { commandOf } from "../agents/index.ts";
import { agentCommand, wordsOf } from "./agent-command.ts";

const SAFE = { allowEverything: false, session: null };

const values = {
  prompt: "Do it; rm -rf \"$HOME\" 'now'\nplease",
  prompt_file: "/tmp/p",
  mcp_config: "/tmp/m",
  mcp_url: "http://localhost/mcp",
  task_id: "1",
  worktree: "/w",
  branch: "pawl/1",
};

test("a prompt with any characters is one argument", () => {
  expect(agentCommand("agent run {prompt} --cd={worktree}", values)).toEqual({
    program: "agent",
    args: ["run", values.prompt, "--cd=/w"],
    input: null,
  });
});

test("Claude Code gets its prompt before its options, and its settings as one word of JSON", () => {
  const { program, args } = agentCommand(commandOf("claude", SAFE), values);
  expect([program, ...args.slice(0, 2)]).toEqual(["claude", "-p", values.prompt]);
  const settings = JSON.parse(args[args.indexOf("--settings") + 1] ?? "") as { sandbox: object };
  expect(settings.sandbox).toMatchObject({ enabled: true, failIfUnavailable: true });
  expect(args.slice(-2)).toEqual(["--mcp-config", "/tmp/m"]);
});

test("Codex gets Pawl's URL, and its token through an environment variable", () => {
  const { args } = agentCommand(commandOf("codex", SAFE), values);
  expect(args).toContain("mcp_servers.pawl_task.url=http://localhost/mcp");
  expect(args).toContain("mcp_servers.pawl_task.bearer_token_env_var=PAWL_TOKEN");
  expect(args.at(-1)).toBe(values.prompt);
});

test("a command without a placeholder for the prompt gets it on standard input", () => {
  expect(agentCommand("cat {unknown}", values)).toEqual({
    program: "cat",
    args: ["{unknown}"],
    input: values.prompt,
  });
});

test.each([
  ["a b  c", ["a", "b", "c"]],
  ["a 'b c' \"d e\"f", ["a", "b c", "d ef"]],
  ['a\\ b \'\\\' "\\""', ["a b", "\\", '"']],
  ["''", [""]],
  ["  ", []],
])("%j is split into %j", (template, words) => {
  expect(wordsOf(template)).toEqual(words);
});

test.each(["a 'b", ""])("%j is refused", (template) => {
  expect(() => agentCommand(template, values)).toThrow(/agent's command/);
});
