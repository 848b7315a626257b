import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";
import { fromPg } from "./pg.ts";
import type { PgClient } from "./pg.ts";

/** The argument of the callback of `knex.transaction`, or the result of `await knex.transaction()`. */
export type KnexTransaction = {
  readonly isTransaction?: boolean;
  isCompleted(): boolean;
  readonly client: { acquireConnection(): PromiseLike<unknown> };
};

/**
 * Makes a transaction of Knex usable for Pawl's commands.
 *
 *     await knex.transaction(async (trx) => {
 *       await trx("orders").insert({ id });
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromKnex(trx) });
 *     });
 */
export function fromKnex(trx: KnexTransaction): CallerTransaction {
  const expected =
    "the argument of the callback of `knex.transaction`, or the result of `await knex.transaction()`";
  expectTransaction((trx as KnexTransaction | undefined)?.isTransaction === true, "fromKnex", expected);
  return {
    driver: "Knex",
    transaction: trx,
    query: async (text, params) => {
      // The connection is back in the pool, and may be in use by another transaction.
      if (trx.isCompleted()) throw new Error("the transaction is completed");
      // In a transaction this is always the connection of the transaction, which Knex releases itself.
      const connection = (await trx.client.acquireConnection()) as PgClient;
      return fromPg(connection).query(text, params);
    },
  };
}
