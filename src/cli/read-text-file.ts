import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { TextDecoder } from "node:util";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-code.ts";
import { count } from "./print.ts";

const DEFAULT_MAX_BYTES = 10_000_000;

/** Reads a text file, or standard input for `-`. Files that are missing, too large or in another encoding are refused. */
export async function readTextFile(
  path: string,
  { encoding = "utf-8", maxBytes = DEFAULT_MAX_BYTES }: { encoding?: string; maxBytes?: number } = {},
): Promise<{ name: string; text: string }> {
  const name = path === "-" ? "standard input" : basename(path);
  const decoder = decoderFor(encoding);
  const bytes = await readBytes(path, maxBytes).catch((error: unknown) => {
    throw new CliError(EXIT.usage, `${name} cannot be read: ${(error as Error).message}.`);
  });
  if (bytes.length > maxBytes)
    throw new CliError(EXIT.usage, `${name} is larger than ${count(maxBytes, "byte")}.`, {
      hints: ["Split it into several files."],
    });
  try {
    return { name, text: decoder.decode(bytes) };
  } catch {
    throw new CliError(EXIT.usage, `${name} is not encoded in ${encoding}.`, {
      hints: ["Save it as UTF-8, or name its encoding, such as --encoding windows-1251."],
    });
  }
}

async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  if (path === "-") return buffer(process.stdin);
  // A file that is too large is not read at all; its beginning is enough for the caller to refuse it.
  return (await stat(path)).size > maxBytes ? Buffer.alloc(maxBytes + 1) : readFile(path);
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new CliError(EXIT.usage, `"${encoding}" is not a known encoding.`, {
      hints: ["Known ones are utf-8, utf-16le, windows-1251, koi8-r and others."],
    });
  }
}
