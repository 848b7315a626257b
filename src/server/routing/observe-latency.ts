import type { FastifyInstance } from "fastify";
import type { Metrics } from "../ops/metrics.ts";

/** Notes how long each answer took, by its route; a stream is noted when it ends. */
export function measureAnswers(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onResponse", ({ method, routeOptions }, reply, done) => {
    metrics.answered(method, routeOptions.url ?? "", reply.statusCode, reply.elapsedTime);
    done();
  });
}
