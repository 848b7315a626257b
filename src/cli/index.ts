export { run } from "./run.ts";
export type { Screen } from "./surroundings.ts";
