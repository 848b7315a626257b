import type postgres from "postgres";
import type { Write } from "./sql/statement.ts";

/** A transaction under way: the engine's own, or one that the caller opened. */
export type Tx = postgres.TransactionSql;

/** Where a statement can be run: in a transaction, or by itself. */
export type Runs = Pick<Tx, "unsafe">;

/**
 * Runs one of the static statements, prepared (unless the client was told that its pooler does not keep them). It is sent
 * at once and not when somebody waits for it, as the driver would: what must be read after a lock is asked for after it.
 */
export function query<Row extends object>(
  tx: Runs,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return asked<Row>(tx, text, params).execute().then(withMoments);
}

/**
 * The same for wide rows by the thousand, each as the list of its cells: the driver makes an object cell by cell, under
 * names that V8 cannot foresee, and one of 24 cost 12 µs.
 */
export function queryCells<Cells extends unknown[]>(
  tx: Runs,
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

function asked<Row extends object>(tx: Runs, text: string, params: readonly unknown[]) {
  return tx.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true });
}

/** The driver would refuse it when it is half sent, and the transaction would wait for an answer. */
function undefinedParameter(place: number): Error {
  return new Error(`parameter $${place + 1} of a statement is undefined`);
}

/** Writes of a transaction whose answers nobody needs: they are sent one behind the other, and the commit behind them. */
export class SentWrites {
  private readonly tx: Tx;
  private readonly sent: Promise<unknown>[] = [];

  constructor(tx: Tx) {
    this.tx = tx;
  }

  send({ text, params }: Write): void {
    const sent = query(this.tx, text, params);
    // Reported by `done`; until then it is not an unhandled rejection.
    sent.catch(() => undefined);
    this.sent.push(sent);
  }

  /** Waits for all of them; throws the first error. Whoever ends the transaction must ask. */
  async done(): Promise<void> {
    await Promise.all(this.sent);
  }
}

/** In a transaction of the caller's, the caller's client reads timestamps as dates; here they are milliseconds. */
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
