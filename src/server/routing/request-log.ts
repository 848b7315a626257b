import { LogController } from "fastify";
import type { FastifyReply, FastifyRequest } from "fastify";

/** One line for each request: at debug, so that it costs next to nothing unless it is asked for; at warn where it failed. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // What comes of it is told once it is answered.
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { method, url, by, log } = request;
    // Without its query, which may hold what somebody is looking for.
    const [path] = url.split("?", 1);
    const { statusCode: status, elapsedTime: ms } = reply;
    const told = { method, path, status, ms, org: by?.org_id, member: by?.actor.id };
    if (error) log.warn({ ...told, err: error }, "answered, but not to the end");
    else if (status >= 500) log.warn(told, "answered");
    else log.debug(told, "answered");
  }
}
