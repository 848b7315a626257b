import { CLAIM_ROUTES } from "./claim-routes.ts";
import { CONSOLE_ROUTES } from "./console-routes.ts";
import { DEMO_ROUTES } from "./demo-routes.ts";
import { EVENT_ROUTES } from "./event-routes.ts";
import { INBOX_ROUTES } from "./inbox-routes.ts";
import { INSIGHT_ROUTES } from "./insight-routes.ts";
import { LIFECYCLE_ROUTES } from "./lifecycle-routes.ts";
import { MEMBER_ROUTES } from "./member-routes.ts";
import { OVERVIEW_ROUTES } from "./overview-routes.ts";
import { PROJECT_ROUTES } from "./project-routes.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { SYSTEM_ROUTES } from "./system-routes.ts";
import { TASK_ROUTES } from "./task-routes.ts";

export type { AnyProblemCode } from "../core/index.ts";
export type { ConsolePlugin } from "./console-routes.ts";
export {
  CLAIM_ROUTES,
  CONSOLE_ROUTES,
  DEMO_ROUTES,
  EVENT_ROUTES,
  INBOX_ROUTES,
  INSIGHT_ROUTES,
  LIFECYCLE_ROUTES,
  MEMBER_ROUTES,
  OVERVIEW_ROUTES,
  PROJECT_ROUTES,
  SESSION_ROUTES,
  SYSTEM_ROUTES,
  TASK_ROUTES,
};
export { DEMO_LANGUAGES } from "./demo-routes.ts";
export type { DemoLanguage } from "./demo-routes.ts";
export { feedEvent, feedEventOnWire } from "./event-routes.ts";
export type { FeedEventOnWire } from "./event-routes.ts";
export * as fields from "./fields.ts";
export { chosenId, clientEventId, onWire, onWireOrNull } from "./fields.ts";
export type { InboxRequestOnWire } from "./inbox-routes.ts";
export { INSIGHT_WINDOWS } from "./insight-routes.ts";
export type { InsightsOnWire } from "./insight-routes.ts";
export { MAX_PARAM_LENGTH, openApiDocument, refusalCodesOf } from "./openapi.ts";
export { OVERVIEW_WINDOWS } from "./overview-routes.ts";
export type { OverviewOnWire } from "./overview-routes.ts";
export { PROBLEM_MEDIA, problemDocument } from "./problem.ts";
export type { ProblemDocument } from "./problem.ts";
export { projectOnWire } from "./project-routes.ts";
export { defineRoutes, eventStream, isMedia, media } from "./route.ts";
export type {
  BodyRead,
  BodySent,
  Media,
  ParamsOf,
  QueryRead,
  QuerySent,
  Reply,
  ReplyOf,
  Route,
  RoutePermission,
  RouteTable,
} from "./route.ts";
export { taskRoutes } from "./task-route-set.ts";
export type { TaskRouteKind, TaskRoutes } from "./task-route-set.ts";
export { claimedOnWire, event as journalEvent, eventOnWire, movedOnWire, taskOnWire } from "./task.ts";
export type { EventOnWire, TaskOnWire } from "./task.ts";

/** The routes that all lifecycles share. */
export const ROUTES = {
  ...SYSTEM_ROUTES,
  ...LIFECYCLE_ROUTES,
  ...CONSOLE_ROUTES,
  ...TASK_ROUTES,
  ...CLAIM_ROUTES,
  ...EVENT_ROUTES,
  ...PROJECT_ROUTES,
  ...MEMBER_ROUTES,
  ...OVERVIEW_ROUTES,
  ...INSIGHT_ROUTES,
  ...INBOX_ROUTES,
  ...SESSION_ROUTES,
  ...DEMO_ROUTES,
};
