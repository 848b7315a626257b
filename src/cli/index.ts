export { run } from "./run.ts";
export { ownColours, toTerminal } from "./terminal-text.ts";
export type { AgentStation, Output, Screen, ServerFlags, Surroundings } from "./surroundings.ts";
