import { expect, test } from "vitest";
import { OutputTeller } from "./output-teller.ts";

async function tell(...texts: string[]) {
  const pieces: string[] = [];
  const lines: string[] = [];
  const keep = (text: string) => {
    pieces.push(text);
    return Promise.resolve({ kept: true });
  };
  const teller = new OutputTeller(keep, (line) => lines.push(line));
  for (const text of texts) teller.say(text);
  await teller.end();
  return { pieces, lines };
}

test("a JSON line that arrives in parts, longer than a piece, is read as one", async () => {
  const input = { file_path: "/w/big", content: "x".repeat(150_000) };
  const line = JSON.stringify({
    type: "assistant",
    message: { content: [{ type: "tool_use", name: "Write", input }] },
  });
  const { pieces, lines } = await tell(line.slice(0, 70_000), line.slice(70_000), "\n");
  expect(lines).toEqual(["Write /w/big"]);
  expect(pieces.join("")).toBe(`${line}\n`);
});

test("pieces end at a line break where possible", async () => {
  const line = `${"x".repeat(40_000)}\n`;
  const { pieces } = await tell(line, line, line.trimEnd());
  expect(pieces).toEqual([line, line, line.trimEnd()]);
});
