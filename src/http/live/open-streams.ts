import type { ServerResponse } from "node:http";
import { EventStream } from "./event-stream.ts";

export type StreamTimes = {
  /** How often a stream shows that somebody is there; 15 seconds unless told. */
  heartbeatMs?: number;
  /** How often tokens of open streams are looked up again; 5 seconds unless told. */
  checkMs?: number;
};

/** How long a reader may take for the last of a stream when the server stops. */
const LAST_WORDS_MS = 1_000;

/** All streams that are being read, whatever they tell: they beat, are checked, and end with the server. */
export class OpenStreams {
  private readonly streams = new Set<EventStream>();
  private readonly timers: NodeJS.Timeout[];
  private checking = false;
  private stopped = false;

  constructor({ stopping, heartbeatMs = 15_000, checkMs = 5_000 }: { stopping: AbortSignal } & StreamTimes) {
    stopping.addEventListener("abort", () => {
      this.stop();
    });
    this.timers = [
      setInterval(() => {
        for (const stream of this.streams) stream.beat();
      }, heartbeatMs).unref(),
      setInterval(() => void this.check(), checkMs).unref(),
    ];
  }

  /** How many are being read. */
  get size(): number {
    return this.streams.size;
  }

  /** Begins a stream; its head has been sent. */
  open(response: ServerResponse, reader: ConstructorParameters<typeof EventStream>[1]): EventStream {
    const stream = new EventStream(response, reader);
    this.streams.add(stream);
    stream.onClosed(() => this.streams.delete(stream));
    if (this.stopped) stream.dismiss();
    return stream;
  }

  /** Ends all of them with a hint when to come again. */
  private stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const stream of this.streams) stream.dismiss();
    setTimeout(() => {
      for (const stream of this.streams) stream.destroy();
    }, LAST_WORDS_MS).unref();
  }

  /** The lookups of all streams travel together. A database that is gone ends none of them: nothing can be read then. */
  private async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    await Promise.allSettled([...this.streams].map((stream) => stream.check()));
    this.checking = false;
  }
}
