import { expect, test } from "vitest";
import { lastLineOf } from "./last-line.ts";

const said = (content: object[]) => JSON.stringify({ type: "assistant", message: { content } });

test.each([
  ["", null],
  ["one\ntwo\n\n", "two"],
  ["\u001b[32mgreen\u001b[0m\r\n", "green"],
  [said([{ type: "text", text: "Reading the parser\nand more" }]), "Reading the parser"],
  [said([{ type: "tool_use", name: "Bash", input: { command: "npm test" } }]), "Bash npm test"],
  [`before\n${JSON.stringify({ type: "system", subtype: "init" })}`, "before"],
  [JSON.stringify({ type: "result", result: "Done.\nAll of it." }), "Done."],
  ['{"half": ', '{"half":'],
])("the last line of %j is %j", (output, line) => {
  expect(lastLineOf(output)).toBe(line);
});
