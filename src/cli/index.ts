export { run } from "./run.ts";
export type { AgentStation, Screen, ServerFlags, Surroundings } from "./surroundings.ts";
