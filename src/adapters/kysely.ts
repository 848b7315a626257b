import { CompiledQuery } from "kysely";
import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";

/** The argument of the callback of `db.transaction().execute`, or a controlled transaction. */
export type KyselyTransaction = {
  withoutPlugins(): { executeQuery(query: CompiledQuery): Promise<{ rows: unknown[] }> };
};

/**
 * Makes a transaction of Kysely usable for Pawl's commands. Plugins, such as the one for camelCase, are not applied to them.
 *
 *     await db.transaction().execute(async (trx) => {
 *       await trx.insertInto("orders").values({ id }).execute();
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromKysely(trx) });
 *     });
 */
export function fromKysely(trx: KyselyTransaction): CallerTransaction {
  const { withoutPlugins } = Object(trx) as Partial<KyselyTransaction>;
  const expected = "the argument of the callback of `db.transaction().execute`";
  expectTransaction(typeof withoutPlugins === "function", "fromKysely", expected);
  return {
    driver: "Kysely",
    transaction: trx,
    query: async (text, params) => {
      const { rows } = await trx.withoutPlugins().executeQuery(CompiledQuery.raw(text, [...params]));
      return rows as object[];
    },
  };
}
