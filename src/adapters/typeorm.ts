import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";

/** The argument of the callback of `dataSource.transaction`, or the `manager` of a query runner. */
export type TypeOrmManager = { query(text: string, params?: unknown[]): Promise<unknown> };

/**
 * Makes a transaction of TypeORM usable for Pawl's commands.
 *
 *     await dataSource.transaction(async (manager) => {
 *       await manager.insert(Order, { id });
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromTypeOrm(manager) });
 *     });
 */
export function fromTypeOrm(manager: TypeOrmManager): CallerTransaction {
  const { query } = Object(manager) as Partial<TypeOrmManager>;
  const expected = "the manager that `dataSource.transaction` passes to its callback";
  expectTransaction(typeof query === "function", "fromTypeOrm", expected);
  return {
    driver: "TypeORM",
    transaction: manager,
    query: async (text, params) => rowsOf(await manager.query(text, [...params])),
  };
}

/** For updates and deletes TypeORM returns the rows together with their number. */
function rowsOf(result: unknown): readonly object[] {
  if (!Array.isArray(result)) return [];
  const isWithCount = result.length === 2 && Array.isArray(result[0]) && typeof result[1] === "number";
  return (isWithCount ? result[0] : result) as object[];
}
