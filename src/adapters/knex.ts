import type { CallerTransaction } from "../engine/index.ts";
import { fromPg } from "./pg.ts";
import type { PgClient } from "./pg.ts";

/** The argument of the callback of `knex.transaction`, or the result of `await knex.transaction()`. */
export type KnexTransaction = {
  readonly isTransaction?: boolean;
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
  return {
    driver: "Knex",
    transaction: trx,
    query: async (text, params) => {
      // In a transaction this is always the connection of the transaction, which Knex releases itself.
      const connection = (await trx.client.acquireConnection()) as PgClient;
      return fromPg(connection).query(text, params);
    },
  };
}
