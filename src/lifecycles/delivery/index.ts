export { DELIVERY_ROUTES } from "./api.ts";
export { delivery } from "./lifecycle.ts";
