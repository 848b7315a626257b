import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";

/** The argument of the callback of an interactive transaction, `prisma.$transaction(async (tx) => …)`. */
export type PrismaTransaction = {
  $queryRawUnsafe(text: string, ...params: unknown[]): PromiseLike<unknown>;
  $executeRawUnsafe(text: string, ...params: unknown[]): PromiseLike<number>;
};

/**
 * Makes an interactive transaction of Prisma usable for Pawl's commands.
 *
 *     await prisma.$transaction(async (tx) => {
 *       await tx.order.create({ data: { id } });
 *       await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromPrisma(tx) });
 *     });
 */
export function fromPrisma(tx: PrismaTransaction): CallerTransaction {
  const { $executeRawUnsafe } = Object(tx) as Partial<PrismaTransaction>;
  const expected = "the argument of the callback of `prisma.$transaction`";
  expectTransaction(typeof $executeRawUnsafe === "function", "fromPrisma", expected);
  return {
    driver: "Prisma",
    transaction: tx,
    query: async (text, params) => {
      if (/^(savepoint|release|rollback) /.test(text)) {
        await tx.$executeRawUnsafe(text);
        return [];
      }
      return (await tx.$queryRawUnsafe(text, ...params)) as object[];
    },
  };
}
