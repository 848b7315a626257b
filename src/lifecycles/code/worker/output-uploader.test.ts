import { expect, test } from "vitest";
import { OutputUploader } from "./output-uploader.ts";

async function upload(...texts: string[]) {
  const pieces: string[] = [];
  const lines: string[] = [];
  const send = (text: string) => {
    pieces.push(text);
    return Promise.resolve({ kept: true });
  };
  const uploader = new OutputUploader(send, (line) => lines.push(line));
  for (const text of texts) uploader.append(text);
  await uploader.end();
  return { pieces, lines };
}

test("a JSON line that arrives in parts, longer than a chunk, is reported as one line", async () => {
  const input = { file_path: "/w/big", content: "x".repeat(150_000) };
  const line = JSON.stringify({
    type: "assistant",
    message: { content: [{ type: "tool_use", name: "Write", input }] },
  });
  const { pieces, lines } = await upload(line.slice(0, 70_000), line.slice(70_000), "\n");
  expect(lines).toEqual(["Write /w/big"]);
  expect(pieces.join("")).toBe(`${line}\n`);
});

test("chunks end at a line break if possible", async () => {
  const line = `${"x".repeat(40_000)}\n`;
  const { pieces } = await upload(line, line, line.trimEnd());
  expect(pieces).toEqual([line, line, line.trimEnd()]);
});
