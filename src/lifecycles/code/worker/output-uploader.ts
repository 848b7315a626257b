import { PawlProblem } from "../../../client/index.ts";
import { withTimeout } from "../../../std/with-timeout.ts";
import { readableLine } from "../last-line.ts";

const SEND_INTERVAL_MS = 500;
const MAX_CHUNK_LENGTH = 60_000;
/** Large, because an agent prints the result of a tool as one line of JSON, which may contain a whole file twice. */
const MAX_LINE_LENGTH = 1_000_000;
const LAST_LINES = 20;
/** Maximum number of characters buffered while the server does not answer; beyond it, the middle is dropped. */
const MAX_BUFFERED = 1_000_000;

/** Uploads an agent's output in chunks, one after the other. A failed upload does not affect the agent. */
export class OutputUploader {
  private readonly send: (text: string) => Promise<{ kept: boolean }>;
  private readonly onLine: (line: string) => void;
  private readonly onRawLine: () => void;
  private buffer = "";
  private unfinishedLine = "";
  private lines: string[] = [];
  private closed = false;
  private sending: Promise<void> | null = null;
  private sendNow: () => void = () => undefined;
  private ending = false;

  constructor(
    send: OutputUploader["send"],
    onLine: (line: string) => void,
    onRawLine: () => void = () => undefined,
  ) {
    this.send = send;
    this.onLine = onLine;
    this.onRawLine = onRawLine;
  }

  append(text: string): void {
    this.reportLines(text);
    if (this.closed) return;
    this.buffer += text;
    if (this.buffer.length > MAX_BUFFERED)
      this.buffer = `${this.buffer.slice(0, MAX_BUFFERED / 2)}\n[…]\n${this.buffer.slice(-MAX_BUFFERED / 4)}`;
    this.sending ??= this.sendSoon();
  }

  /** Uploads the rest of the buffer; gives up after the timeout. */
  async end(timeoutMs = 5_000): Promise<void> {
    const rest = (async () => {
      this.ending = true;
      this.sendNow();
      await this.sending;
      while (this.buffer !== "" && !this.closed) await this.sendChunk();
    })();
    await withTimeout(rest, timeoutMs, () => undefined);
    this.closed = true;
  }

  private async sendSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.sendNow = resolve;
      setTimeout(resolve, SEND_INTERVAL_MS).unref();
    });
    await this.sendChunk();
    this.sending = this.buffer === "" || this.closed || this.ending ? null : this.sendSoon();
  }

  private async sendChunk(): Promise<void> {
    const chunk = nextChunk(this.buffer);
    if (chunk === "") return;
    try {
      const { kept } = await this.send(chunk);
      this.buffer = this.buffer.slice(chunk.length);
      this.closed ||= !kept;
    } catch (error) {
      // A refusal is final; after other errors, the chunk stays in the buffer and is sent again.
      this.closed ||=
        error instanceof PawlProblem && error.status >= 400 && error.status < 500 && error.status !== 429;
    }
    if (this.closed) this.buffer = "";
  }

  private reportLines(text: string): void {
    const lines = (this.unfinishedLine + text).split(/\r?\n|\r/);
    this.unfinishedLine = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
    for (const line of lines) {
      this.onRawLine();
      const readable = readableLine(line);
      if (readable === null) continue;
      this.lines = [...this.lines, readable].slice(-LAST_LINES);
      this.onLine(readable);
    }
  }

  /** Returns the last readable lines, for error messages. */
  lastLines(): string {
    return this.lines.join("\n");
  }
}

/** Returns the start of the text. A chunk ends at its last line break, if it has one, so that no chunk starts within a line. */
function nextChunk(text: string): string {
  const chunk = dropHalfCharacter(text.slice(0, MAX_CHUNK_LENGTH));
  return text.length <= MAX_CHUNK_LENGTH ? chunk : chunk.slice(0, chunk.lastIndexOf("\n") + 1) || chunk;
}

/** Removes the first half of a surrogate pair from the end. */
function dropHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) && text.length > 1 ? text.slice(0, -1) : text;
}
