import { FILE_ROUTES } from "./contract/file-routes.ts";
import { JOB_ROUTES } from "./contract/job-routes.ts";
import { USER_ROUTES } from "./contract/user-routes.ts";
import { WORK_ROUTES } from "./contract/work-routes.ts";

/** Delivery's routes: jobs, users, the catalogue, and what workers and the bot have to tell. */
export const DELIVERY_ROUTES = { ...JOB_ROUTES, ...USER_ROUTES, ...FILE_ROUTES, ...WORK_ROUTES };

export { deliveryEntry } from "./contract/file-routes.ts";
export type { DeliveryEntry, DeliveryFile } from "./contract/file-routes.ts";
export { FINAL_STATUSES, OPEN_STATUSES } from "./contract/job-routes.ts";
export type { DeliveryJob, JobStatus } from "./contract/job-routes.ts";
export { USER_STATUSES } from "./contract/user-routes.ts";
export type { DeliveryUser, UserStatus } from "./contract/user-routes.ts";
export type { NoticeKind } from "./contract/work-routes.ts";
export { FILE_ROUTES, JOB_ROUTES, USER_ROUTES, WORK_ROUTES };
