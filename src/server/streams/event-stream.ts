import { isRefusal } from "../../core/index.ts";
import type { ServerResponse } from "node:http";
import type { Refusal } from "../../core/index.ts";
import type { Caller } from "../../engine/index.ts";

/** Authenticates the caller again: a token may be revoked, and a member changed, while a stream is open. */
export type Identify = () => Promise<({ kind: "known" } & Caller) | Refusal>;

/** Bytes buffered for a reader, besides the last write, before the server disconnects it. */
const MAX_UNSENT_BYTES = 262_144;

/** Delay before a reader reconnects. */
const RETRY_MS = 2_000;
/** Random extra delay when the server stops, so that readers do not all reconnect at once. */
const RETRY_SPREAD_MS = 2_000;

/** One response of server-sent events. */
export class EventStream {
  /** The authenticated reader. */
  caller: Caller;
  /** All events for this reader up to this position have been sent. */
  position: number;
  private readonly response: ServerResponse;
  private readonly identify: Identify;

  constructor(
    response: ServerResponse,
    { caller, identify, position }: { caller: Caller; identify: Identify; position: number },
  ) {
    this.response = response;
    this.caller = caller;
    this.identify = identify;
    this.position = position;
    response.write(`retry: ${RETRY_MS}\n${positionFrame(position)}`);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  onClosed(listener: () => void): void {
    this.response.once("close", listener);
  }

  /** Sends complete events; disconnects a reader that is too slow, which can then continue at its position. */
  send(events: Buffer): void {
    if (!this.isOpen) return;
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.response.destroy();
    else this.response.write(events);
  }

  /** Sends a heartbeat with the current position. */
  sendHeartbeat(): void {
    if (this.isOpen) this.response.write(positionFrame(this.position));
  }

  /** Ends the stream if the token is no longer valid; otherwise applies changes of the member. */
  async check(): Promise<void> {
    const known = await this.identify();
    if (isRefusal(known)) this.response.end();
    else this.caller = known;
  }

  /** Resolves when the write buffer is empty, or the reader is gone. */
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

  /** Ends the stream; the reader reconnects to another server, or to this one after its restart. */
  dismiss(): void {
    if (this.isOpen)
      this.response.end(`retry: ${Math.round(RETRY_MS + Math.random() * RETRY_SPREAD_MS)}\n\n`);
  }

  destroy(): void {
    this.response.destroy();
  }
}

/**
 * Returns a frame with the position. An id without data is stored by the reader but raises no event, so that it continues here
 * even if the connection is lost before the next event. Some libraries ignore such an id, but report the comment.
 */
function positionFrame(position: number): string {
  return `: at ${position}\nid: ${position}\n\n`;
}
