import { isRefusal } from "../../core/index.ts";
import type { ServerResponse } from "node:http";
import type { Refusal } from "../../core/index.ts";
import type { By } from "../../engine/index.ts";

/** Asks again who it is: a token may be revoked, and a member changed, while a stream goes on. */
export type Recognise = () => Promise<({ kind: "known" } & By) | Refusal>;

/** What may lie unsent for a reader, beyond what he was sent last: who leaves more lying cannot keep up. */
const MOST_UNSENT_BYTES = 262_144;

/** How long to stay away when the connection is lost. */
const RETRY_MS = 2_000;
/** When the server stops, not all are to come back at the same moment. */
const RETRY_SPREAD_MS = 2_000;

/** One response of server-sent events, from its head to its end. */
export class EventStream {
  /** In whose name it is read. */
  by: By;
  /** Up to here, everything has been sent that is for this reader. */
  position: number;
  private readonly response: ServerResponse;
  private readonly recognise: Recognise;

  constructor(
    response: ServerResponse,
    { by, recognise, position }: { by: By; recognise: Recognise; position: number },
  ) {
    this.response = response;
    this.by = by;
    this.recognise = recognise;
    this.position = position;
    response.write(`retry: ${RETRY_MS}\n${standing(position)}`);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  onClosed(listener: () => void): void {
    this.response.once("close", listener);
  }

  /** Sends whole events; a reader who has left too much lying is cut off, and can come back for it. */
  send(events: Buffer): void {
    if (!this.isOpen) return;
    if (this.response.writableLength > MOST_UNSENT_BYTES) this.response.destroy();
    else this.response.write(events);
  }

  /** Shows that somebody is there, and how far the feed has been looked through. */
  beat(): void {
    if (this.isOpen) this.response.write(standing(this.position));
  }

  /** Ends the stream of one who may no longer read; what has changed of him counts from now on. */
  async check(): Promise<void> {
    const known = await this.recognise();
    if (isRefusal(known)) this.response.end();
    else this.by = known;
  }

  /** Resolves when what was sent is on its way, or the reader gone. */
  async drained(): Promise<void> {
    const { response } = this;
    if (!response.writableNeedDrain || !this.isOpen) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        response.off("drain", go).off("close", go);
        resolve();
      };
      response.on("drain", go).on("close", go);
    });
  }

  /** Ends it, for the reader to come back to another server, or to this one when it is there again. */
  dismiss(): void {
    if (this.isOpen)
      this.response.end(`retry: ${Math.round(RETRY_MS + Math.random() * RETRY_SPREAD_MS)}\n\n`);
  }

  destroy(): void {
    this.response.destroy();
  }
}

/**
 * Where the feed stands. An id without data is remembered by the reader and makes no event: so he goes on from here also
 * if his connection is lost before anything has happened. Some libraries drop it, but show the comment.
 */
function standing(position: number): string {
  return `: at ${position}\nid: ${position}\n\n`;
}
