import type postgres from "postgres";
import type { Write } from "./sql/statement.ts";

/** An open transaction: the engine's own or the caller's. */
export type Tx = postgres.TransactionSql;

/** Runs statements: a transaction, or a client outside any transaction. */
export type Runs = Pick<Tx, "unsafe">;

/**
 * Runs a static statement, prepared unless the client is configured for a pooler without support for it. It is sent immediately,
 * not when the result is awaited as by default, so that statements run in the order of the calls: a read after a lock stays after it.
 */
export function query<Row extends object>(
  tx: Runs,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return prepare<Row>(tx, text, params).execute().then(withMilliseconds);
}

/**
 * Like `query`, but returns each row as an array of cells, for thousands of wide rows: the driver builds row objects property by
 * property, which V8 cannot optimize; a row of 24 columns cost 12 µs.
 */
export function queryCells<Cells extends unknown[]>(
  tx: Runs,
  text: string,
  params: readonly unknown[],
): Promise<Cells[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return prepare(tx, text, params)
    .values()
    .execute()
    .then((rows) => cellsWithMilliseconds(rows as unknown as Cells[]));
}

function prepare<Row extends object>(tx: Runs, text: string, params: readonly unknown[]) {
  return tx.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true });
}

/** Checked here because the driver fails after sending half of the statement, and the transaction would wait for its result. */
function undefinedParameter(index: number): Error {
  return new Error(`parameter $${index + 1} of a statement is undefined`);
}

/** Writes of a transaction whose results are not needed: they are sent without waiting, and the commit after them. */
export class SentWrites {
  private readonly tx: Tx;
  private readonly sent: Promise<unknown>[] = [];

  constructor(tx: Tx) {
    this.tx = tx;
  }

  send({ text, params }: Write): void {
    const sent = query(this.tx, text, params);
    // `done` reports the error; until then it is not an unhandled rejection.
    sent.catch(() => undefined);
    this.sent.push(sent);
  }

  /** Waits for all writes; throws the first error. Must be awaited by the code that ends the transaction. */
  async done(): Promise<void> {
    await Promise.all(this.sent);
  }
}

/** Converts dates to milliseconds: in a caller's transaction, the caller's client reads timestamps as dates. */
function withMilliseconds<Row extends object>(rows: Row[]): Row[] {
  const [first] = rows;
  if (first === undefined || !Object.values(first).some((value) => value instanceof Date)) return rows;
  const convert = (value: unknown) => (value instanceof Date ? value.getTime() : value);
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, convert(value)])) as Row,
  );
}

function cellsWithMilliseconds<Cells extends unknown[]>(rows: Cells[]): Cells[] {
  if (!rows[0]?.some((cell) => cell instanceof Date)) return rows;
  return rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.getTime() : cell)) as Cells);
}

/** Encodes the rows of a statement as one text parameter (`$n::text::json`), for statements that run rarely. */
export function asRows(rows: readonly object[]): string {
  return JSON.stringify(rows);
}
