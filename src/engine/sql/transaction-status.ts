import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import type { Sql } from "../../postgres/index.ts";
import { refuseSettings } from "../caller-transaction.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// The id is that of the outermost transaction, also behind a savepoint. Drivers parse times themselves, and some return null for
// one in another style than ISO.
const CHECK_TRANSACTION = `
  select case when pg_is_in_recovery() then null else pg_current_xact_id()::text end as transaction_id,
    concat_ws('; set local ',
      case when current_setting('DateStyle') not like 'ISO%' then 'datestyle = iso' end,
      case when current_setting('array_nulls') = 'off' then 'array_nulls = on' end,
      case when current_setting('standard_conforming_strings') = 'off' then 'standard_conforming_strings = on' end
    ) as wrong_settings`;

/** Returns the id of a caller's transaction, null on a standby; throws TRANSACTION_UNUSABLE if its settings distort values. */
export async function checkTransaction(tx: Tx): Promise<string | null> {
  const [row] = await query<{ transaction_id: string | null; wrong_settings: string }>(
    tx,
    CHECK_TRANSACTION,
    [],
  );
  refuseSettings(row?.wrong_settings ?? "");
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
