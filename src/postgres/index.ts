export { arrayElements } from "./array-types.ts";
export {
  answerWithin,
  connect,
  hasOwnSessions,
  isPostgresUrl,
  onClosing,
  schemaOf,
  SESSION_SETTINGS,
  sideClient,
  STATEMENT_TIMEOUT_MS,
  textInSchema,
} from "./connect.ts";
export type { DriverTransaction, Sql } from "./connect.ts";
export {
  isCollision,
  isConnectionLoss,
  isEnded,
  isMistakeInSql,
  isOverload,
  isUnavailable,
  isUnstorable,
  unavailable,
  violationOf,
} from "./database-errors.ts";
export { openDatabase } from "./open-database.ts";
export type { DatabaseConfig } from "./open-database.ts";
export {
  checkSchemaName,
  DEFAULT_SCHEMA,
  isSchemaName,
  rewriteSchema,
  VALID_SCHEMA_NAME,
  withoutSchema,
} from "./schema-name.ts";
export { codeOf, messageOf, unusable } from "./unusable.ts";
