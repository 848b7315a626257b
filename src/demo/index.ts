export { DemoKeeper } from "./keeper.ts";
export { VISITOR } from "./demo-script.ts";
export type { DemoScript } from "./demo-script.ts";
export type { Stage } from "./stage.ts";
