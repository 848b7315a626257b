import { PawlError } from "../core/index.ts";
import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";
import { fromKnex } from "./knex.ts";
import type { KnexTransaction } from "./knex.ts";

/** The argument of the callback of `em.transactional` (MikroORM 6). */
export type MikroOrmManager = { getTransactionContext(): unknown };

/**
 * Makes a transaction of MikroORM 6 usable for Pawl's commands.
 *
 *     await em.transactional(async (em) => {
 *       em.create(Order, { id });
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromMikroOrm(em) });
 *     });
 */
export function fromMikroOrm(em: MikroOrmManager): CallerTransaction {
  const { getTransactionContext } = Object(em) as Partial<MikroOrmManager>;
  const expected = "the manager that `em.transactional` passes to its callback";
  expectTransaction(typeof getTransactionContext === "function", "fromMikroOrm", expected);
  const trx = em.getTransactionContext() as KnexTransaction | undefined;
  if (!trx)
    throw new PawlError(
      "TRANSACTION_UNUSABLE",
      "fromMikroOrm got an entity manager without an open transaction. Pass the one that `em.transactional` gives to its callback.",
    );
  return { ...fromKnex(trx), driver: "MikroORM" };
}
