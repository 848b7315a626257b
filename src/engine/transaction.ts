import type { DriverTransaction } from "../postgres/index.ts";
import type { Write } from "./sql/statement.ts";

/** Runs statements: a transaction, or a client outside any transaction. Use `query`. */
export type Queryable = {
  unsafe(text: string, params: never[], options: { prepare: true }): PendingRows;
};

/** A statement that is sent by `execute`. */
export type PendingRows = {
  execute(): PromiseLike<readonly object[]>;
  values(): { execute(): PromiseLike<readonly unknown[][]> };
};

/** An open transaction: the engine's own, or the caller's. */
export type Tx = Queryable & {
  /** Runs work behind a savepoint, so that an error in it does not abort the transaction. Savepoints are not nested. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
};

/** A transaction that the engine has begun on its own client. */
export class EngineTransaction implements Tx {
  private tx: DriverTransaction;

  constructor(tx: DriverTransaction) {
    this.tx = tx;
  }

  unsafe(text: string, params: never[], options: { prepare: true }): PendingRows {
    return this.tx.unsafe(text, params, options) as PendingRows;
  }

  savepoint<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.tx;
    // In a savepoint of the driver too: it fails a transaction at its end if a statement outside of one has failed.
    const isolated = () =>
      outer.savepoint((inner) => {
        this.tx = inner;
        return work().finally(() => (this.tx = outer));
      }) as Promise<T>;
    return behindSavepoint((text) => this.tx.unsafe(text), isolated);
  }
}

/** Runs work between a savepoint and its release; rolls back to the savepoint if the work fails. */
export async function behindSavepoint<T>(
  run: (text: string) => PromiseLike<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  await run("savepoint pawl");
  try {
    const result = await work();
    await run("release savepoint pawl");
    return result;
  } catch (error) {
    await run("rollback to savepoint pawl");
    await run("release savepoint pawl");
    throw error;
  }
}

/**
 * Runs a statement with parameters `$1`, `$2` … and returns its rows. Times are milliseconds; `bigint` and `numeric` are strings
 * unless cast to `float8`. The statement is sent at once, not when the result is awaited, so that statements run in the order of the
 * calls: a read after a lock stays after it. It is prepared, unless the client is configured for a pooler that does not support this.
 *
 *     const rows = await query<{ id: string }>(tx, "select p.id from pawl.shop_parcel p where p.org_id = $1", [org_id]);
 */
export function query<Row extends object>(
  tx: Queryable,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return Promise.resolve(prepare(tx, text, params).execute()) as Promise<Row[]>;
}

/**
 * Like `query`, but returns each row as an array of cells, for thousands of wide rows: the driver builds row objects property by
 * property, which V8 cannot optimize; a row of 24 columns cost 12 µs.
 */
export function queryCells<Cells extends unknown[]>(
  tx: Queryable,
  text: string,
  params: readonly unknown[],
): Promise<Cells[]> {
  const missing = params.indexOf(undefined);
  if (missing >= 0) return Promise.reject(undefinedParameter(missing));
  return Promise.resolve(prepare(tx, text, params).values().execute()) as Promise<Cells[]>;
}

function prepare(tx: Queryable, text: string, params: readonly unknown[]): PendingRows {
  return tx.unsafe(text, params as never[], { prepare: true });
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

/**
 * Encodes many rows as one parameter, for statements that run rarely.
 *
 *     await query(tx, "insert into pawl.shop_stock select * from json_to_recordset($1::text::json) as r(item text, pieces int)", [asRows(rows)]);
 */
export function asRows(rows: readonly object[]): string {
  return JSON.stringify(rows);
}
