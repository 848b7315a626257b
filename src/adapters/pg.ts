import { expectTransaction } from "../engine/index.ts";
import type { CallerTransaction } from "../engine/index.ts";

/** A connected `Client` or `PoolClient` of `pg` on which `begin` has run. */
export type PgClient = {
  query(config: PgQuery): PromiseLike<{ rows: object[] }>;
};

type PgQuery = {
  text: string;
  values: unknown[];
  rowMode: "array";
  types: { getTypeParser(): (text: string) => unknown };
};

/** Returns values as PostgreSQL sends them, so that type parsers set with `pg.types` do not matter. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/**
 * Makes a transaction of `pg` usable for Pawl's commands.
 *
 *     const client = await pool.connect();
 *     await client.query("begin");
 *     await client.query("insert into orders …");
 *     await pawl.create(caller, [{ lifecycle: "parcel", title: "Pack it" }], { tx: fromPg(client) });
 *     await client.query("commit");
 */
export function fromPg(client: PgClient): CallerTransaction {
  const { query, _connected } = Object(client) as Partial<PgClient> & { _connected?: boolean };
  const expected = "the client of `await pool.connect()`, or a connected `Client`, on which you ran `begin`";
  // A pool runs statements on any connection; a client without one would make them wait forever.
  const isExpected = typeof query === "function" && !("totalCount" in client) && _connected !== false;
  expectTransaction(isExpected, "fromPg", expected);
  return {
    driver: "pg",
    transaction: client,
    query: async (text, params) => {
      const { rows } = await client.query({ text, values: [...params], rowMode: "array", types: AS_TEXT });
      return rows;
    },
  };
}
