export { run } from "./run.ts";
export type { AgentStation, Screen, ServerFlags } from "./surroundings.ts";
