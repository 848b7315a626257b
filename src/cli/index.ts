export { run } from "./run.ts";
export type { AgentStation, Output, Screen, ServerFlags, Surroundings } from "./surroundings.ts";
