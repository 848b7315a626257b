export { CODE_ROUTES } from "./api.ts";
export { code } from "./lifecycle.ts";
