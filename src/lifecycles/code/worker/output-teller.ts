import { PawlProblem } from "../../../client/index.ts";
import { withTimeout } from "../../../std/with-timeout.ts";
import { readableLine } from "../last-line.ts";

const TELL_EVERY_MS = 500;
const LONGEST_PIECE = 60_000;
/** The result of a tool is one line of JSON, which may contain a whole file twice. */
const MAX_LINE_LENGTH = 1_000_000;
const LAST_LINES = 20;
/** What waits for a server that does not answer; beyond it the middle is left out. */
const MOST_WAITING = 1_000_000;

/** Tells the server what an agent says, in pieces, one after the other; nothing that goes wrong with it disturbs the work. */
export class OutputTeller {
  private readonly send: (text: string) => Promise<{ kept: boolean }>;
  private readonly onLine: (line: string) => void;
  private waiting = "";
  private unfinishedLine = "";
  private lines: string[] = [];
  private over = false;
  private sending: Promise<void> | null = null;
  private hurry: () => void = () => undefined;
  private ending = false;

  constructor(send: OutputTeller["send"], onLine: (line: string) => void) {
    this.send = send;
    this.onLine = onLine;
  }

  say(text: string): void {
    this.tellLines(text);
    if (this.over) return;
    this.waiting += text;
    if (this.waiting.length > MOST_WAITING)
      this.waiting = `${this.waiting.slice(0, MOST_WAITING / 2)}\n[…]\n${this.waiting.slice(-MOST_WAITING / 4)}`;
    this.sending ??= this.tellSoon();
  }

  /** The rest, for as long as somebody is patient. */
  async end(patienceMs = 5_000): Promise<void> {
    const rest = (async () => {
      this.ending = true;
      this.hurry();
      await this.sending;
      while (this.waiting !== "" && !this.over) await this.tellPiece();
    })();
    await withTimeout(rest, patienceMs, () => undefined);
    this.over = true;
  }

  private async tellSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, TELL_EVERY_MS).unref();
    });
    await this.tellPiece();
    this.sending = this.waiting === "" || this.over || this.ending ? null : this.tellSoon();
  }

  private async tellPiece(): Promise<void> {
    const piece = wholeLines(this.waiting);
    if (piece === "") return;
    try {
      const { kept } = await this.send(piece);
      this.waiting = this.waiting.slice(piece.length);
      this.over ||= !kept;
    } catch (error) {
      // Refused for good; what merely did not arrive is sent with the next.
      this.over ||=
        error instanceof PawlProblem && error.status >= 400 && error.status < 500 && error.status !== 429;
    }
    if (this.over) this.waiting = "";
  }

  private tellLines(text: string): void {
    const lines = (this.unfinishedLine + text).split(/\r?\n|\r/);
    this.unfinishedLine = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
    for (const line of lines) {
      const readable = readableLine(line);
      if (readable === null) continue;
      this.lines = [...this.lines, readable].slice(-LAST_LINES);
      this.onLine(readable);
    }
  }

  /** What was said last, for whoever asks what went wrong. */
  lastLines(): string {
    return this.lines.join("\n");
  }
}

/** Returns the next piece. It ends at a line break if it has one, so that the last piece can be read by itself. */
function wholeLines(text: string): string {
  const piece = wholeCharacters(text.slice(0, LONGEST_PIECE));
  return text.length <= LONGEST_PIECE ? piece : piece.slice(0, piece.lastIndexOf("\n") + 1) || piece;
}

/** Not the first half of a pair: it would be no text. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) && text.length > 1 ? text.slice(0, -1) : text;
}
