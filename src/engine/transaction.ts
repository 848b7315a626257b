import type postgres from "postgres";

/** A transaction under way: the engine's own, or one that the caller opened. */
export type Tx = postgres.TransactionSql;

/**
 * Runs one of the static statements, prepared (unless the client was told that its pooler does not keep them). It is sent
 * at once and not when somebody waits for it, as the driver would: what must be read after a lock is asked for after it.
 */
export function query<Row extends object>(tx: Tx, text: string, params: readonly unknown[]): Promise<Row[]> {
  return tx.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }).execute();
}

/** Rows of a statement as one text parameter (`$n::text::json`): one value to encode, whatever the number of rows. */
export function asRows(rows: readonly object[]): string {
  return JSON.stringify(rows);
}
