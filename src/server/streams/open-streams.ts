import type { ServerResponse } from "node:http";
import { EventStream } from "./event-stream.ts";

export type StreamTimes = {
  /** Interval of heartbeats; default 15 s. */
  heartbeatMs?: number;
  /** Interval at which the tokens of open streams are checked; default 5 s. */
  checkMs?: number;
};

/** When the server stops, time for a reader to receive the end of its stream. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Streams are served in this number of parts, so that ten thousand heartbeats at once do not delay an event. */
const PARTS = 20;

/** All open streams of a node: sends heartbeats, checks tokens, and ends the streams when the server stops. */
export class OpenStreams {
  private readonly parts = Array.from({ length: PARTS }, () => new Set<EventStream>());
  /** Parts whose tokens are being checked. */
  private readonly checking = new Set<Set<EventStream>>();
  private readonly timers: NodeJS.Timeout[];
  private opened = 0;
  private stopped = false;

  constructor({ stopping, heartbeatMs = 15_000, checkMs = 5_000 }: { stopping: AbortSignal } & StreamTimes) {
    stopping.addEventListener("abort", () => {
      this.stop();
    });
    this.timers = [
      this.spreadOver(heartbeatMs, (part) => {
        for (const stream of part) stream.sendHeartbeat();
      }),
      this.spreadOver(checkMs, (part) => void this.check(part)),
    ];
  }

  /** The number of open streams. */
  get size(): number {
    return this.parts.reduce((sum, part) => sum + part.size, 0);
  }

  /** Opens a stream on a response whose headers have been sent. */
  open(response: ServerResponse, reader: ConstructorParameters<typeof EventStream>[1]): EventStream {
    const stream = new EventStream(response, reader);
    const part = this.parts[this.opened++ % PARTS] as Set<EventStream>;
    part.add(stream);
    stream.onClosed(() => part.delete(stream));
    if (this.stopped) stream.dismiss();
    return stream;
  }

  /** Handles all parts one after the other within the interval, repeatedly. */
  private spreadOver(intervalMs: number, work: (part: Set<EventStream>) => void): NodeJS.Timeout {
    let turn = 0;
    return setInterval(() => {
      work(this.parts[turn++ % PARTS] as Set<EventStream>);
    }, intervalMs / PARTS).unref();
  }

  /** Ends all streams, each with a delay before reconnecting. */
  private stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const part of this.parts) for (const stream of part) stream.dismiss();
    setTimeout(() => {
      for (const part of this.parts) for (const stream of part) stream.destroy();
    }, CLOSE_TIMEOUT_MS).unref();
  }

  /** Checks the tokens of a part in one batch. A failed look-up, such as without a database, ends no stream. */
  private async check(part: Set<EventStream>): Promise<void> {
    if (this.checking.has(part)) return;
    this.checking.add(part);
    await Promise.allSettled([...part].map((stream) => stream.check()));
    this.checking.delete(part);
  }
}
