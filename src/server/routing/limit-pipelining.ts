import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Maximum requests of one connection that wait for earlier answers; modern clients do not pipeline at all. */
const MAX_PIPELINED = 16;

const pipelined = new WeakMap<Socket, number>();

/**
 * Returns whether a connection has sent too many requests without waiting for answers, and closes it in that case: a few
 * kilobytes of requests could make the server buffer gigabytes of answers.
 */
export function exceedsPipelining(
  { raw: { socket } }: FastifyRequest,
  { raw: response }: FastifyReply,
): boolean {
  // A response gets its socket immediately unless an earlier one is in progress.
  if (response.socket !== null) return false;
  const waiting = (pipelined.get(socket) ?? 0) + 1;
  pipelined.set(socket, waiting);
  if (waiting > MAX_PIPELINED) {
    socket.destroy();
    return true;
  }
  response.once("close", () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
  return false;
}
