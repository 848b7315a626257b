export { Metrics } from "./ops/metrics.ts";
export { buildServer } from "./server.ts";
