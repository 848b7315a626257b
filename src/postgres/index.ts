export { arrayElements } from "./array-types.ts";
export {
  answerWithin,
  connect,
  hasOwnSessions,
  isPostgresUrl,
  onClosing,
  SESSION_SETTINGS,
  sideClient,
  STATEMENT_TIMEOUT_MS,
} from "./connect.ts";
export type { DriverTransaction, Sql } from "./connect.ts";
export {
  isCollision,
  isConnectionLoss,
  isEnded,
  isMistakeInSql,
  isOverload,
  isUnstorable,
  unavailable,
  violationOf,
} from "./database-errors.ts";
export { openDatabase } from "./open-database.ts";
export type { DatabaseConfig } from "./open-database.ts";
export { codeOf, messageOf, unusable } from "./unusable.ts";
