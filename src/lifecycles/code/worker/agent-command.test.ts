import { expect, test } from "vitest";
import { agentCommand, DEFAULT_AGENT, wordsOf } from "./agent-command.ts";

const blanks = {
  prompt: "Do it; rm -rf \"$HOME\" 'now'\nplease",
  prompt_file: "/tmp/p",
  mcp_config: "/tmp/m",
  task_id: "1",
  worktree: "/w",
  branch: "pawl/1",
};

test("a prompt is one argument, whatever is in it", () => {
  expect(agentCommand("codex exec {prompt} --cd={worktree}", blanks)).toEqual({
    program: "codex",
    args: ["exec", blanks.prompt, "--cd=/w"],
    input: null,
  });
});

test("Claude Code is asked without a person, and speaks JSON", () => {
  const { program, args } = agentCommand(DEFAULT_AGENT, blanks);
  expect([program, ...args.slice(0, 4)]).toEqual([
    "claude",
    "-p",
    blanks.prompt,
    "--output-format",
    "stream-json",
  ]);
});

test("a command without a blank for the prompt reads it", () => {
  expect(agentCommand("cat {unknown}", blanks)).toEqual({
    program: "cat",
    args: ["{unknown}"],
    input: blanks.prompt,
  });
});

test.each([
  ["a b  c", ["a", "b", "c"]],
  ["a 'b c' \"d e\"f", ["a", "b c", "d ef"]],
  ['a\\ b \'\\\' "\\""', ["a b", "\\", '"']],
  ["''", [""]],
  ["  ", []],
])("%j is %j", (template, words) => {
  expect(wordsOf(template)).toEqual(words);
});

test.each(["a 'b", ""])("%j is refused", (template) => {
  expect(() => agentCommand(template, blanks)).toThrow(/agent's command/);
});
