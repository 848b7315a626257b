import type postgres from "postgres";

/** A transaction under way: the engine's own, or one that the caller opened. */
export type Tx = postgres.TransactionSql;

/**
 * Runs one of the static statements, prepared (unless the client was told that its pooler does not keep them). It is sent
 * at once and not when somebody waits for it, as the driver would: what must be read after a lock is asked for after it.
 */
export function query<Row extends object>(tx: Tx, text: string, params: readonly unknown[]): Promise<Row[]> {
  // The driver would refuse it when it is half sent, and the transaction would wait for an answer.
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(new Error(`parameter $${missing + 1} of a statement is undefined`));
  const sent = tx
    .unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true })
    .execute();
  return sent.then(withMoments);
}

const POSTED = new WeakMap<Tx, Promise<unknown>[]>();

/** Sends a write whose answer nobody needs before the commit, which then travels with it. `posted` tells how it went. */
export function post(tx: Tx, text: string, params: readonly unknown[]): void {
  const sent = query(tx, text, params);
  // Told by `posted`; until then it is nobody's unhandled rejection.
  sent.catch(() => undefined);
  const before = POSTED.get(tx);
  if (before) before.push(sent);
  else POSTED.set(tx, [sent]);
}

/** Waits for what was posted in a transaction; throws what went wrong first. Whoever ends a transaction must ask. */
export async function posted(tx: Tx): Promise<void> {
  const sent = POSTED.get(tx) ?? [];
  POSTED.delete(tx);
  await Promise.all(sent);
}

/** Work that can fail without the rest of the transaction. */
export async function behindSavepoint<T>(tx: Tx, work: (inner: Tx) => Promise<T>): Promise<T> {
  const done = await tx.savepoint(async (inner) => {
    const result = await work(inner);
    await posted(inner);
    return { result };
  });
  return done.result;
}

/** In a transaction of the caller's, his own client reads moments as dates; here they are milliseconds. */
function withMoments<Row extends object>(rows: Row[]): Row[] {
  const [first] = rows;
  if (first === undefined || !Object.values(first).some((value) => value instanceof Date)) return rows;
  const moments = (value: unknown) => (value instanceof Date ? value.getTime() : value);
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, moments(value)])) as Row,
  );
}

/** Rows of a statement as one text parameter (`$n::text::json`): for statements that are not many a second. */
export function asRows(rows: readonly object[]): string {
  return JSON.stringify(rows);
}
