export { PLANNER_ROUTES } from "./api.ts";
export { planner } from "./lifecycle.ts";
