import { writeSync } from "node:fs";
import { hostname } from "node:os";

/** Bytes queued while the reader of a pipe is slow; lines beyond that are dropped. */
const MAX_QUEUED_BYTES = 1_048_576;
const RETRY_INTERVAL_MS = 250;

type LogDestinationOptions = {
  /** Formats the line that reports dropped lines; default: JSON in pino's format. */
  report?: (dropped: number, reason: string) => string;
  onDrop?: () => void;
};

/**
 * Writes lines to an open file and never throws. A line that cannot be written (full disk, closed pipe) is dropped and
 * counted; the number of dropped lines is reported in one line as soon as writing works again.
 */
export class LogDestination {
  private readonly fd: number;
  private readonly report: (dropped: number, reason: string) => string;
  private readonly onDrop: () => void;
  private queued: Buffer = Buffer.alloc(0);
  private dropped = 0;
  private reason = "";
  private retry: NodeJS.Timeout | null = null;

  constructor(fd: number, { report = reportAsJson, onDrop = () => undefined }: LogDestinationOptions = {}) {
    this.fd = fd;
    this.report = report;
    this.onDrop = onDrop;
  }

  write(line: string): void {
    if (this.reportDropped() && this.put(line)) return;
    this.dropped++;
    this.onDrop();
    this.retryLater();
  }

  private reportDropped(): boolean {
    if (this.dropped === 0) return true;
    if (!this.put(this.report(this.dropped, this.reason))) return false;
    this.dropped = 0;
    return true;
  }

  /** Writes the queue and then the text; false if the text must be dropped. */
  private put(text: string): boolean {
    const bytes = Buffer.from(text);
    let rest: Buffer = Buffer.concat([this.queued, bytes]);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.fd, rest));
      this.queued = rest;
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.reason = message;
      const isBusy = code === "EAGAIN" && rest.length <= MAX_QUEUED_BYTES;
      // A partly written line is completed later.
      const isQueued = isBusy || rest.length < bytes.length;
      this.queued = isQueued ? rest : rest.subarray(0, rest.length - bytes.length);
      if (isQueued) this.retryLater();
      return isQueued;
    }
  }

  private retryLater(): void {
    this.retry ??= setTimeout(() => {
      this.retry = null;
      if (!this.reportDropped() || !this.put("") || this.queued.length > 0) this.retryLater();
    }, RETRY_INTERVAL_MS).unref();
  }
}

const WARN_LEVEL = 40;

function reportAsJson(dropped: number, reason: string): string {
  const msg = `${dropped} log ${dropped === 1 ? "line was" : "lines were"} dropped`;
  const line = {
    level: WARN_LEVEL,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    dropped,
    reason,
    msg,
  };
  return `${JSON.stringify(line)}\n`;
}
