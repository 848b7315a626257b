import { PawlError } from "../core/index.ts";

type DriverError = { code?: unknown; constraint_name?: unknown };

/** The database said no, and will go on saying no: a constraint or a defence. */
export function violationOf(error: unknown): string | null {
  const { code, constraint_name } = (error ?? {}) as DriverError;
  if (code !== "23505" && code !== "23514" && code !== "23503") return null;
  return typeof constraint_name === "string" ? constraint_name : "a constraint";
}

/** Two transactions were in each other's way; the same again will do. */
export function isCollision(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return code === "40P01" || code === "40001" || code === "55P03";
}

const CONNECTION = /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ENOENT|ETIMEDOUT|57P0|08|53300)/;

/** The connection is gone or cannot be had. Whether a commit that was under way went through is not known. */
export function isConnectionLoss(error: unknown): boolean {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" && CONNECTION.test(code);
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
