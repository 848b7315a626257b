import { PawlError } from "../core/index.ts";

type DriverError = { code?: unknown; constraint_name?: unknown; routine?: unknown };

/** The database said no, and will go on saying no: a constraint or a defence. */
export function violationOf(error: unknown): string | null {
  const { code, constraint_name } = (error ?? {}) as DriverError;
  if (code !== "23505" && code !== "23514" && code !== "23503") return null;
  return typeof constraint_name === "string" ? constraint_name : "a constraint";
}

/** The database cannot hold what was sent: a NUL in a text, a number out of its range. */
export function isUnstorable(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && /^(22|54)...$/.test(code);
}

/** Two transactions were in each other's way, or a migration changed a table under one; the same again will do. */
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

/** The connection is gone or cannot be had. Whether a commit that was under way went through is not known. */
export function isConnectionLoss(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && CONNECTION.test(code);
}

/** This client was ended: it will not find the database again. */
export function isEnded(error: unknown): boolean {
  return ((error ?? {}) as DriverError).code === "CONNECTION_ENDED";
}

/** The server is there and cannot, for now: a timeout, no room, no memory, a standby that is not yet promoted. */
export function isOverload(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && /^(57014|25006|53[124]|58)/.test(code);
}

/** What a caller is told when the database stays away. */
export function unavailable(cause: unknown): PawlError {
  return new PawlError(
    "UNAVAILABLE",
    "The database cannot be reached at the moment; nothing is lost, try again.",
    { retry_after_seconds: 1 },
    { cause },
  );
}
