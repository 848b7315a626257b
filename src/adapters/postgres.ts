import { expectTransaction, ofPostgresJs } from "../engine/index.ts";
import type { CallerTransaction, PostgresTransaction } from "../engine/index.ts";

/**
 * Makes a transaction of postgres.js usable for Pawl's commands. The transaction can also be passed as it is.
 *
 *     await sql.begin(async (tx) => {
 *       await tx`insert into orders …`;
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromPostgres(tx) });
 *     });
 */
export function fromPostgres(tx: PostgresTransaction): CallerTransaction {
  const { unsafe, savepoint } = Object(tx) as Partial<PostgresTransaction>;
  const isExpected = typeof unsafe === "function" && typeof savepoint === "function";
  expectTransaction(isExpected, "fromPostgres", "the argument of the callback of `sql.begin`");
  return ofPostgresJs(tx);
}
