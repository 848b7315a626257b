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

/** Ten thousand streams are not all served at one moment, while an event waits: each of these parts has its own. */
const PARTS = 20;

/** All streams that are being read, whatever they tell: they beat, are checked, and end with the server. */
export class OpenStreams {
  private readonly parts = Array.from({ length: PARTS }, () => new Set<EventStream>());
  /** Parts whose tokens are being looked up. */
  private readonly checking = new Set<Set<EventStream>>();
  private readonly timers: NodeJS.Timeout[];
  private opened = 0;
  private stopped = false;

  constructor({ stopping, heartbeatMs = 15_000, checkMs = 5_000 }: { stopping: AbortSignal } & StreamTimes) {
    stopping.addEventListener("abort", () => {
      this.stop();
    });
    this.timers = [
      this.inTurn(heartbeatMs, (part) => {
        for (const stream of part) stream.beat();
      }),
      this.inTurn(checkMs, (part) => void this.check(part)),
    ];
  }

  /** How many are being read. */
  get size(): number {
    return this.parts.reduce((sum, part) => sum + part.size, 0);
  }

  /** Begins a stream; its head has been sent. */
  open(response: ServerResponse, reader: ConstructorParameters<typeof EventStream>[1]): EventStream {
    const stream = new EventStream(response, reader);
    const part = this.parts[this.opened++ % PARTS] as Set<EventStream>;
    part.add(stream);
    stream.onClosed(() => part.delete(stream));
    if (this.stopped) stream.dismiss();
    return stream;
  }

  /** Does something with all parts in so much time, one after the other. */
  private inTurn(everyMs: number, work: (part: Set<EventStream>) => void): NodeJS.Timeout {
    let turn = 0;
    return setInterval(() => {
      work(this.parts[turn++ % PARTS] as Set<EventStream>);
    }, everyMs / PARTS).unref();
  }

  /** Ends all of them with a hint when to come again. */
  private stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const part of this.parts) for (const stream of part) stream.dismiss();
    setTimeout(() => {
      for (const part of this.parts) for (const stream of part) stream.destroy();
    }, LAST_WORDS_MS).unref();
  }

  /** The lookups of a part travel together. A database that is gone ends none of them: nothing can be read then. */
  private async check(part: Set<EventStream>): Promise<void> {
    if (this.checking.has(part)) return;
    this.checking.add(part);
    await Promise.allSettled([...part].map((stream) => stream.check()));
    this.checking.delete(part);
  }
}
