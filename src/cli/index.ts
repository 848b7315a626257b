export { run } from "./run.ts";
export type { Screen, ServerFlags } from "./surroundings.ts";
