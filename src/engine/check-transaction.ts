import { isDeepStrictEqual } from "node:util";
import { PawlError } from "../core/index.ts";
import { query, queryCells } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

const REMEDY =
  "Pass the transaction from `sql.begin` of a postgres.js client with the driver's default types: " +
  "no `fetch_types: false`, no custom `types` or `transform`, and not a client that was passed to drizzle().";

/** Thrown rather than returned, so that the caller's transaction rolls back. */
function unusable(detail: string, cause?: unknown): PawlError {
  return new PawlError("TRANSACTION_UNUSABLE", detail, {}, cause === undefined ? {} : { cause });
}

/** Throws TRANSACTION_UNUSABLE unless `tx` is a transaction of postgres.js. */
export function checkShape(tx: unknown): asserts tx is Tx {
  const { unsafe, savepoint, begin, query: queryMethod } = Object(tx) as Record<string, unknown>;
  if (typeof unsafe === "function" && typeof savepoint === "function") return;
  const what =
    typeof begin === "function" && typeof unsafe === "function"
      ? "`tx` is a client of postgres.js, not a transaction."
      : typeof queryMethod === "function"
        ? "`tx` is a client of another driver, such as pg; Pawl works with transactions of postgres.js."
        : "`tx` is not a transaction of postgres.js.";
  throw unusable(`${what} ${REMEDY}`);
}

/** Values to send and read back in the way of Pawl's statements (JSON is sent as text). The column names reveal a `transform`. */
const PROBES = [
  ["a_moment", "timestamptz", 1_767_614_400_123, "timestamps"],
  ["some_texts", "text[]", ["a", 'b,"c'], "arrays of text"],
  ["some_uuids", "uuid[]", ["0197a000-0000-7000-8000-000000000001"], "arrays of uuid"],
  ["some_integers", "integer[]", [1, 2], "arrays of integer"],
  ["some_floats", "float8[]", [0.5, 2], "arrays of float8"],
  ["a_float", "float8", 0.5, "numbers"],
  ["an_integer", "integer", 7, "numbers"],
  ["a_boolean", "boolean", true, "booleans"],
  ["a_text", "text", "a", "text"],
  ["a_null", "text", null, "nulls"],
  ["some_json", "text::json", '{"an_object":[1]}', "JSON"],
  ["some_jsonb", "text::jsonb", '{"an_object":[1]}', "JSON"],
] as const;

const READ_BACK = `select ${PROBES.map(([name, type], at) => `$${at + 1}::${type} as ${name}`).join(", ")}`;

const EXPECTED = PROBES.map(([, type, value]) =>
  type.includes("json") ? (JSON.parse(String(value)) as unknown) : value,
);

const CHECKED = new WeakMap<Tx, Promise<void>>();

/**
 * Throws TRANSACTION_UNUSABLE if the caller's client sends or reads values differently from Pawl's own. Without this check the
 * database would refuse a timestamp or an array, and the caller would get a validation error.
 */
export function checkDriver(tx: Tx, inner: Tx): Promise<void> {
  const known = CHECKED.get(tx) ?? readBack(inner);
  CHECKED.set(tx, known);
  return known;
}

async function readBack(tx: Tx): Promise<void> {
  const sent = PROBES.map(([, , value]) => value);
  // Pawl reads rows as objects and as arrays; a `transform` of rows may change only one of them.
  const [[row = {}], [cells = []]] = await Promise.all([
    query<Record<string, unknown>>(tx, READ_BACK, sent),
    queryCells(tx, READ_BACK, sent),
  ]).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!isDriverError(error)) throw error;
    throw unusable(
      `The client of \`tx\` does not send values as Pawl needs them (${reason}). ${REMEDY}`,
      error,
    );
  });
  const wrong = PROBES.filter(
    ([name], at) => !isDeepStrictEqual([row[name], cells[at]], [EXPECTED[at], EXPECTED[at]]),
  ).map((probe) => probe[3]);
  if (wrong.length === 0) return;
  const types = [...new Set(wrong)].join(", ");
  throw unusable(`The client of \`tx\` changes the values that it sends or reads (${types}). ${REMEDY}`);
}

/** True if the server could not read a value or the driver could not write one; other errors concern the connection. */
function isDriverError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof TypeError || (typeof code === "string" && /^(22|42|08P01)/.test(code));
}

/** Explains an error of the caller's transaction itself; null for any other error. */
export function transactionFault(error: unknown): PawlError | null {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "25P02")
    return unusable(
      "An earlier statement of the transaction failed, so PostgreSQL refuses any other. Let the transaction roll back, " +
        "and run statements that may fail in a savepoint.",
      error,
    );
  if (code === "25P01")
    return unusable(
      "The transaction has ended. Await every call of Pawl inside the callback of `sql.begin`.",
      error,
    );
  return null;
}
