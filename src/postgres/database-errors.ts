import { PawlError } from "../core/index.ts";

type DriverError = { code?: unknown; constraint_name?: unknown; routine?: unknown };

/** Returns the name of the violated constraint, or null for other errors. Retrying does not help with these. */
export function violationOf(error: unknown): string | null {
  const { code, constraint_name } = (error ?? {}) as DriverError;
  if (code !== "23505" && code !== "23514" && code !== "23503") return null;
  return typeof constraint_name === "string" ? constraint_name : "a constraint";
}

/**
 * The database cannot store a value, for example a NUL in a string or a number out of range. A division by zero is an internal
 * error: save-moves.ts raises it if a move that must be written is missing.
 */
export function isUnstorable(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && /^(22|54)...$/.test(code) && code !== "22012";
}

/** A deadlock, a serialization failure, a lock timeout, or a migration that changed a table; the transaction can be retried. */
export function isCollision(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return code === "40P01" || code === "40001" || code === "55P03" || isOutdatedStatement(error);
}

/**
 * The result of a prepared statement has got another shape. The driver prepares it anew and sends it again, which only helps
 * outside a transaction; in one, statements sent behind it fail first, with 25P02.
 */
function isOutdatedStatement(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as DriverError;
  return code === "25P02" || (code === "0A000" && routine === "RevalidateCachedQuery");
}

const CONNECTION =
  /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ENOENT|EAGAIN|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P0|25P03|08|53300)/;

/** The connection was lost or could not be opened. It is unknown whether a pending commit succeeded. */
export function isConnectionLoss(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && CONNECTION.test(code);
}

/** The client was closed and will not reconnect. */
export function isEnded(error: unknown): boolean {
  return ((error ?? {}) as DriverError).code === "CONNECTION_ENDED";
}

/** The server answers but cannot serve for now: timeout, full disk, out of memory, a standby before its promotion. */
export function isOverload(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && /^(57014|25006|53[124]|58)/.test(code);
}

/** PostgreSQL refused a statement because of its text, not because of a missing privilege or the state of the server. */
export function isMistakeInSql(error: unknown): error is Error {
  if (isConnectionLoss(error) || isCollision(error) || isOverload(error)) return false;
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && code !== "42501";
}

/** Makes the error for callers when the database stays unreachable. */
export function unavailable(cause: unknown): PawlError {
  return new PawlError(
    "UNAVAILABLE",
    "The database cannot be reached right now; nothing was lost, try again.",
    { retry_after_seconds: 1 },
    { cause },
  );
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof PawlError && error.code === "UNAVAILABLE";
}
