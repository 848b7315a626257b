import { LogController } from "fastify";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Logs one line per request: at debug, which costs almost nothing by default; at warn if it failed. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // One line per request is enough: the one in `requestCompleted`.
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { method, url, caller, log } = request;
    // Without the query, which may contain private search terms.
    const [path] = url.split("?", 1);
    const { statusCode: status, elapsedTime: ms } = reply;
    const fields = { method, path, status, ms, org: caller?.org_id, member: caller?.actor.id };
    if (error) log.warn({ ...fields, err: error }, "the answer was not sent completely");
    else if (status >= 500) log.warn(fields, "request failed");
    else log.debug(fields, "request answered");
  }
}
