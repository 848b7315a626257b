import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUILT_PAWL, ROOT } from "../support/built-pawl.ts";

const MODULE = pathToFileURL(join(ROOT, "dist/std/watch-reader.js")).href;

/** Prints a line, and reports to standard error whether the reader was seen to close the output. */
const PROGRAM = `
  import { watchReader } from ${JSON.stringify(MODULE)};
  process.stdout.on("error", () => undefined);
  const end = (seen) => { process.stderr.write(seen); process.exit(); };
  watchReader(1, () => end("closed"));
  process.stdout.write("a line\\n");
  // Several polls later; without a limit the program runs until the reader closes the output.
  setTimeout(() => end("open"), Number(process.env.LIMIT_MS));`;

const NODE = `"$NODE" --input-type=module --eval "$PROGRAM"`;
const FEW_POLLS_MS = 2_000;
const NO_LIMIT_MS = 2 ** 31 - 1;

async function seenBy(shell: string, limitMs: number, stdout: "pipe" | "ignore" = "ignore"): Promise<string> {
  const child = spawn("bash", ["-c", shell], {
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM, LIMIT_MS: String(limitMs) },
    stdio: ["ignore", stdout, "pipe"],
  });
  let seen = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (seen += text));
  // The stream of a child process is a socket; only the cases that ask for one have it.
  child.stdout?.once("data", () => {
    if (limitMs === NO_LIMIT_MS) child.stdout?.destroy();
  });
  await once(child, "close");
  return seen;
}

test.skipIf(process.platform === "win32").each([
  ["a pipe whose reader ends", `${NODE} | head -1`, "closed"],
  ["a pipe whose reader goes on", `${NODE} | cat`, "open"],
  ["a file", `cd "$(mktemp -d)" && ${NODE} > output; rm -r "$PWD"`, "open"],
  ["the null device", `${NODE} > /dev/null`, "open"],
  ["a closed descriptor", `${NODE} >&-`, "open"],
] as const)("%s", async (_, shell, seen) => {
  expect(BUILT_PAWL).toHaveLength(1);
  expect(await seenBy(shell, seen === "open" ? FEW_POLLS_MS : NO_LIMIT_MS)).toBe(seen);
});

test.skipIf(process.platform === "win32").each([
  ["a socket whose reader closes it", NO_LIMIT_MS, "closed"],
  ["a socket whose reader goes on", FEW_POLLS_MS, "open"],
] as const)("%s", async (_, limitMs, seen) => {
  expect(await seenBy(`exec ${NODE}`, limitMs, "pipe")).toBe(seen);
});
