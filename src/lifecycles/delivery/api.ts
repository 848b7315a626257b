import { FILE_ROUTES } from "./api/file-routes.ts";
import { JOBS, STATUS_ROUTES } from "./api/job-routes.ts";
import { TOKEN_ROUTES } from "./api/token-routes.ts";
import { OUTAGE_ROUTES } from "./api/outage-routes.ts";
import { USER_ROUTES } from "./api/user-routes.ts";
import { WORK_ROUTES } from "./api/work-routes.ts";

/** Routes of delivery: jobs, users, the catalogue of files, and the reports of workers and bot. */
export const DELIVERY_ROUTES = {
  ...JOBS.table,
  ...STATUS_ROUTES,
  ...USER_ROUTES,
  ...FILE_ROUTES,
  ...WORK_ROUTES,
  ...TOKEN_ROUTES,
  ...OUTAGE_ROUTES,
};

export { deliveryEntry } from "./api/file-routes.ts";
export type { DeliveryEntry, DeliveryFile } from "./api/file-routes.ts";
export { FINAL_STATUSES, OPEN_STATUSES } from "./api/job-routes.ts";
export type { DeliveryJob, JobStatus } from "./api/job-routes.ts";
export { USER_STATUSES } from "./api/user-routes.ts";
export type { DeliveryUser, UserStatus } from "./api/user-routes.ts";
export type { NoticeKind } from "./api/work-routes.ts";
export type { DeliveryOutage } from "./api/outage-routes.ts";
export { FILE_ROUTES, JOBS, OUTAGE_ROUTES, STATUS_ROUTES, TOKEN_ROUTES, USER_ROUTES, WORK_ROUTES };
