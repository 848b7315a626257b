import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Requests that may wait on one connection for the answer to the one before; clients of our time send none so. */
const MOST_AHEAD = 16;

const ahead = new WeakMap<Socket, number>();

/**
 * Whether a request is one too many that was sent without waiting for answers; its connection is cut. A few kilobytes can
 * ask for gigabytes that nobody reads.
 */
export function isTooFarAhead({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply): boolean {
  // A response has its socket at once unless another one is being answered there.
  if (response.socket !== null) return false;
  const waiting = (ahead.get(socket) ?? 0) + 1;
  ahead.set(socket, waiting);
  if (waiting > MOST_AHEAD) {
    socket.destroy();
    return true;
  }
  response.once("close", () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1));
  return false;
}
