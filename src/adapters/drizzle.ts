import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";

/** The argument of the callback of `db.transaction`, with `drizzle-orm/node-postgres` or `drizzle-orm/postgres-js`. */
export type DrizzleTransaction = {
  readonly _: {
    readonly session: {
      prepareQuery(
        query: { sql: string; params: unknown[] },
        fields: undefined,
        name: undefined,
        isResponseInArrayMode: false,
      ): { execute(): Promise<unknown> };
    };
  };
};

/**
 * Makes a transaction of Drizzle usable for Pawl's commands.
 *
 *     await db.transaction(async (tx) => {
 *       await tx.insert(orders).values({ id });
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromDrizzle(tx) });
 *     });
 */
export function fromDrizzle(tx: DrizzleTransaction): CallerTransaction {
  const { _: internals } = Object(tx) as Partial<DrizzleTransaction>;
  const isExpected =
    typeof (internals?.session as Partial<DrizzleTransaction["_"]["session"]> | undefined)?.prepareQuery ===
    "function";
  expectTransaction(isExpected, "fromDrizzle", "the argument of the callback of `db.transaction`");
  return {
    driver: "Drizzle",
    transaction: tx,
    query: async (text, params) => {
      const query = { sql: text, params: [...params] };
      const result = await tx._.session.prepareQuery(query, undefined, undefined, false).execute();
      // postgres.js returns the rows, pg an object that has them.
      return Array.isArray(result) ? [...(result as object[])] : (result as { rows: object[] }).rows;
    },
  };
}
