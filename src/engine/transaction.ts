import type postgres from "postgres";

/** A transaction under way: the engine's own, or one that the caller opened. */
export type Tx = postgres.TransactionSql;

/**
 * Runs one of the static statements, prepared (unless the client was told that its pooler does not keep them). It is sent
 * at once and not when somebody waits for it, as the driver would: what must be read after a lock is asked for after it.
 */
export function query<Row extends object>(tx: Tx, text: string, params: readonly unknown[]): Promise<Row[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return asked<Row>(tx, text, params).execute().then(withMoments);
}

/**
 * The same for wide rows by the thousand, each as the list of its cells: the driver makes an object cell by cell, under
 * names that V8 cannot foresee, and one of 24 cost 12 µs.
 */
export function queryCells<Cells extends unknown[]>(
  tx: Tx,
  text: string,
  params: readonly unknown[],
): Promise<Cells[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return asked(tx, text, params)
    .values()
    .execute()
    .then((rows) => cellsWithMoments(rows as unknown as Cells[]));
}

function asked<Row extends object>(tx: Tx, text: string, params: readonly unknown[]) {
  return tx.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true });
}

/** The driver would refuse it when it is half sent, and the transaction would wait for an answer. */
function undefinedParameter(place: number): Error {
  return new Error(`parameter $${place + 1} of a statement is undefined`);
}

const POSTED = new WeakMap<Tx, Promise<unknown>[]>();

/** Sends a write whose answer nobody needs before the commit, which then travels with it. `posted` tells how it went. */
export function post(tx: Tx, text: string, params: readonly unknown[]): void {
  const drafts = DRAFTS.get(tx);
  if (drafts) {
    drafts.push({ text, params });
    return;
  }
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

const DRAFTS = new WeakMap<Tx, { text: string; params: readonly unknown[] }[]>();

/** Said by work that was tried at once and must be done in a transaction. */
class NeedsTransaction extends Error {}

/**
 * Runs work that reads and then writes by a single statement, which is its own transaction: two round trips instead of
 * four. It holds no locks, so what it writes must prove that nothing has changed since it was read. Where it turns out that
 * there is more to do, nothing has been written and NeedsTransaction is thrown.
 */
export async function atOnce<T>(sql: Pick<postgres.Sql, "unsafe">, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = { unsafe: sql.unsafe.bind(sql) } as Tx;
  const drafts: { text: string; params: readonly unknown[] }[] = [];
  DRAFTS.set(tx, drafts);
  const result = await work(tx);
  DRAFTS.delete(tx);
  if (drafts.length > 1) throw new NeedsTransaction();
  for (const { text, params } of drafts) await query(tx, text, params);
  return result;
}

/** Whether work is tried at once, without a lock. */
export function isAtOnce(tx: Tx): boolean {
  return DRAFTS.has(tx);
}

/** Said before anything that is only right under a lock, or with other writes. */
export function mustHold(tx: Tx): void {
  if (isAtOnce(tx)) throw new NeedsTransaction();
}

const OUTERMOST = new WeakMap<Tx, Tx>();

/** The transaction itself, of which this may be a part behind a savepoint. */
export function outermost(tx: Tx): Tx {
  return OUTERMOST.get(tx) ?? tx;
}

/** Work that can fail without the rest of the transaction. */
export async function behindSavepoint<T>(tx: Tx, work: (inner: Tx) => Promise<T>): Promise<T> {
  const done = await tx.savepoint(async (inner) => {
    OUTERMOST.set(inner, outermost(tx));
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

function cellsWithMoments<Cells extends unknown[]>(rows: Cells[]): Cells[] {
  if (!rows[0]?.some((cell) => cell instanceof Date)) return rows;
  return rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.getTime() : cell)) as Cells);
}

/** Rows of a statement as one text parameter (`$n::text::json`): for statements that are not many a second. */
export function asRows(rows: readonly object[]): string {
  return JSON.stringify(rows);
}
