import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** After the stop, time in which a request may still begin on a connection that is open. */
const GRACE_MS = 1_000;

/**
 * Returns a signal that aborts when the server stops, and closes idle and stalled connections from then on. Fastify alone would
 * wait for every keep-alive connection, and Node no longer enforces request timeouts once the server closes, so one slow client
 * could delay the stop forever.
 */
export function drainConnections(app: FastifyInstance, requestTimeoutMs: number): AbortSignal {
  const stopping = new AbortController();
  // No warning about a leak: every running request adds a listener.
  setMaxListeners(0, stopping.signal);
  const open = new Set<Socket>();
  let ending: NodeJS.Timeout | undefined;
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    const stoppedAt = Date.now();
    stopping.abort();
    ending = setInterval(() => {
      app.server.closeIdleConnections();
      const ms = Date.now() - stoppedAt;
      if (ms > GRACE_MS)
        for (const socket of open) if (isStalled(socket, ms > requestTimeoutMs)) socket.destroy();
    }, 20);
    done();
  });
  app.server.on("close", () => {
    clearInterval(ending);
  });
  return stopping.signal;
}

/** Returns whether a connection answers nothing, or, after the timeout, has not received its request completely. */
function isStalled(socket: Socket, isTimedOut: boolean): boolean {
  // Node's internal field is the only way to find the response in progress on a connection.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null };
  return !response || (isTimedOut && !response.req.complete);
}
