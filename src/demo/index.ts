export { DemoRunner } from "./demo-runner.ts";
export { VISITOR } from "./demo-script.ts";
export type { DemoScript } from "./demo-script.ts";
export type { Stage } from "./stage.ts";
