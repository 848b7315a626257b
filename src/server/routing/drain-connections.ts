import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** How long after the stop a request may still begin to come on a connection that was open by then. */
const BEGINS_WITHIN_MS = 1_000;

/**
 * Tells those who wait when the server stops. It would itself wait for every connection that a client keeps for its next
 * request, also when that was busy at the moment it was asked to stop; and from then on nobody would look at the time that
 * slow clients take, so that one of them could keep it for ever.
 */
export function endConnections(app: FastifyInstance, requestTimeoutMs: number): AbortSignal {
  const stopping = new AbortController();
  // Everybody whose answer is under way listens to it: that is no leak.
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
      if (ms > BEGINS_WITHIN_MS)
        for (const socket of open) if (isDawdling(socket, ms > requestTimeoutMs)) socket.destroy();
    }, 20);
    done();
  });
  app.server.on("close", () => {
    clearInterval(ending);
  });
  return stopping.signal;
}

/** Nothing is being answered there, or, when the time for that is over, the request is still not all there. */
function isDawdling(socket: Socket, timeIsOver: boolean): boolean {
  // Node's own note of what is being answered on a connection; nothing else tells.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null };
  return !response || (timeIsOver && !response.req.complete);
}
