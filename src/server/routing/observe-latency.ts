import type { FastifyInstance } from "fastify";
import type { Metrics } from "../ops/metrics.ts";

/** Records the duration of each answer by route; a stream is recorded when it ends. */
export function observeLatency(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onResponse", ({ method, routeOptions }, reply, done) => {
    metrics.answered(method, routeOptions.url ?? "", reply.statusCode, reply.elapsedTime);
    done();
  });
}
