export { DemoRunner } from "./demo-runner.ts";
export { visitorOf } from "./demo-script.ts";
export type { DemoMember, DemoScript } from "./demo-script.ts";
export type { Stage } from "./stage.ts";
