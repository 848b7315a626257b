import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import type { Sql } from "../../postgres/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// The id of the outermost transaction, also behind a savepoint; null if it has written nothing.
const CURRENT_TRANSACTION = `select pg_current_xact_id_if_assigned()::text as transaction_id`;

/** Returns the id of the transaction, or null if it has written nothing. */
export async function currentTransactionId(tx: Tx): Promise<string | null> {
  const [row] = await query<{ transaction_id: string | null }>(tx, CURRENT_TRANSACTION, []);
  return row?.transaction_id ?? null;
}

// Null for transactions so old that the server no longer has their status.
const TRANSACTION_STATUS = `
  select id, coalesce(pg_xact_status(id::xid8), 'unknown') as status from unnest($1::text[]) as id`;

const TIMEOUT_MS = 5_000;

export type TransactionStatus = "in progress" | "committed" | "aborted" | "unknown";

/** Returns the status of each transaction by its id. */
export async function readTransactionStatus(
  sql: Sql,
  ids: readonly string[],
): Promise<Map<string, TransactionStatus>> {
  const rows = await queryOutsideTransaction<{ id: string; status: TransactionStatus }>(
    sql,
    TIMEOUT_MS,
    TRANSACTION_STATUS,
    [ids],
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}
