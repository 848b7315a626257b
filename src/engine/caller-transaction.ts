import { PawlError } from "../core/index.ts";
import { isConnectionLoss, textInSchema } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { decodeValue, encodeParameter } from "./driver-values.ts";
import type { Parameter } from "./driver-values.ts";
import { behindSavepoint } from "./transaction.ts";
import type { PendingRows, Tx } from "./transaction.ts";

/** An open transaction of the caller's own driver or ORM, as made by `pawl/adapters/<name>`. */
export type CallerTransaction = {
  /** The driver's name, for error messages. */
  readonly driver: string;
  /** The driver's own transaction object: commands in the same transaction run one after the other. */
  readonly transaction: object;
  /** Runs one statement with parameters $1, $2 …; returns each row as an array, or as an object by column name. */
  query(text: string, params: readonly Parameter[]): Promise<readonly object[]>;
  /** For drivers that fail the transaction at its end if a statement has failed: runs work without this. */
  isolate?<T>(work: (inner: CallerTransaction) => Promise<T>): Promise<T>;
};

/** A statement as it is sent, the types of its parameters, and the columns of its result. */
type Description = {
  text: string;
  types: readonly number[];
  columns: readonly { name: string; type: number }[];
};

/** Asks the server for the types of a statement, and remembers them. */
export class StatementDescriber {
  private readonly sql: () => Sql;
  private readonly known = new Map<string, Promise<Description>>();

  /** `sql` must not share connections with commands: they may wait for the transaction that waits for the description. */
  constructor(sql: () => Sql) {
    this.sql = sql;
  }

  describe(text: string): Promise<Description> {
    let description = this.known.get(text);
    if (description === undefined) {
      const sql = this.sql();
      description = sql
        .unsafe(text)
        .describe()
        .then(({ types, columns }) => ({
          text: textInSchema(sql, text),
          types,
          columns: readable(text, columns as never),
        }));
      this.known.set(text, description);
      description.catch(() => this.known.delete(text));
    }
    return description;
  }
}

/** Types that Prisma cannot read: tid, xid and void. */
const UNREADABLE_TYPES = new Set([27, 28, 2278]);

/**
 * Checks that every driver can read the columns of a statement of Pawl. Some return rows as objects, where the value of a second
 * column of the same name would replace that of the first.
 */
function readable(text: string, columns: Description["columns"]): Description["columns"] {
  const names = new Set(columns.map(({ name }) => name));
  if (names.size < columns.length || columns.some(({ type }) => UNREADABLE_TYPES.has(type)))
    throw new Error(`Not every driver can read the columns of this statement: ${text}`);
  return columns;
}

/**
 * Runs Pawl's statements in a caller's transaction. Values are converted by their types in the database, so the type parsers and
 * serializers of the caller's driver do not matter. Statements run one after the other, because not every driver queues them.
 */
export class AdaptedTransaction implements Tx {
  private caller: CallerTransaction;
  private readonly describer: StatementDescriber;
  private last: Promise<unknown> = Promise.resolve();
  /** Set once the transaction cannot run statements: nothing more is sent, because some drivers fail or wait forever. */
  private lost: PawlError | null = null;

  constructor(caller: CallerTransaction, describer: StatementDescriber) {
    this.caller = caller;
    this.describer = describer;
  }

  unsafe(text: string, params: readonly unknown[]): PendingRows {
    return {
      execute: async () => {
        const { rows, columns } = await this.run(text, params);
        return rows.map((cells) =>
          Object.fromEntries(columns.map(({ name }, index) => [name, cells[index]])),
        );
      },
      values: () => ({ execute: async () => (await this.run(text, params)).rows }),
    };
  }

  savepoint<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.caller;
    const isolated = () =>
      outer.isolate?.((inner) => {
        this.caller = inner;
        return work().finally(() => (this.caller = outer));
      }) ?? work();
    return behindSavepoint((text) => this.inOrder(() => this.send(text, [])), isolated);
  }

  private run(text: string, params: readonly unknown[]) {
    return this.inOrder(async () => {
      const { text: sent, types, columns } = await this.describer.describe(text);
      const encoded = params.map((value, index) => encodeParameter(types[index] ?? 0, value));
      const rows = await this.send(sent, encoded);
      return { columns, rows: rows.map((row) => this.decode(row, columns)) };
    });
  }

  private decode(row: object, columns: Description["columns"]): unknown[] {
    return columns.map(({ name, type }, index) => {
      const key = Array.isArray(row) ? index : name;
      const decoded = key in row ? decodeValue(type, (row as Record<typeof key, unknown>)[key]) : undefined;
      if (decoded !== undefined) return decoded;
      const { driver } = this.caller;
      throw unusable(
        `Pawl cannot read the column ${name} in a row that ${driver} returned. Begin the transaction on a client of ${driver} ` +
          "whose options do not change rows, column names or values of this type.",
      );
    });
  }

  /** Sends a statement. An error that is not PostgreSQL's answer means that the transaction or its connection is gone. */
  private async send(text: string, params: readonly Parameter[]): Promise<readonly object[]> {
    if (this.lost) throw this.lost;
    try {
      return await this.caller.query(text, params);
    } catch (error) {
      const answer = databaseError(error);
      if (error instanceof PawlError || (answer !== null && !isConnectionLoss(answer))) throw answer ?? error;
      this.lost = unusable(
        `${this.caller.driver} could not run a statement in the transaction: ${messageOf(error)}. The transaction has ended, or its ` +
          "connection is closed. Begin a new transaction, and run its statements again.",
        error,
      );
      throw this.lost;
    }
  }

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** Thrown rather than returned, so that the caller's transaction rolls back. */
function unusable(detail: string, cause?: unknown): PawlError {
  return new PawlError("TRANSACTION_UNUSABLE", detail, {}, cause === undefined ? {} : { cause });
}

const ADAPTERS = "pawl/adapters/<pg, postgres, drizzle, kysely, knex, typeorm, mikro-orm or prisma>";

/** Returns the caller's transaction, or throws TRANSACTION_UNUSABLE if it is none. A transaction of postgres.js needs no adapter. */
export function callerTransaction(tx: unknown): CallerTransaction {
  const { driver, transaction, query, unsafe, savepoint, begin } = Object(tx) as Record<string, unknown>;
  if (typeof driver === "string" && transaction instanceof Object && typeof query === "function")
    return tx as CallerTransaction;
  if (typeof unsafe === "function" && typeof savepoint === "function")
    return ofPostgresJs(tx as PostgresTransaction);
  const found =
    typeof begin === "function" && typeof unsafe === "function"
      ? "`tx` is a client of postgres.js, not a transaction: pass the argument of the callback of `sql.begin`."
      : `\`tx\` is not a transaction that Pawl knows. Wrap the transaction of your driver with a function from ${ADAPTERS}, for example \`fromPg(client)\`.`;
  throw unusable(found);
}

/** The part of a postgres.js transaction that the adapter uses. */
export type PostgresTransaction = {
  unsafe(
    text: string,
    params?: never[],
    options?: { prepare?: boolean },
  ): { raw(): PromiseLike<readonly object[]> };
  typed(value: never, type: number): unknown;
  savepoint: unknown;
};

/** The type `unknown`: the server infers the type, and the client's own serializers, which may be custom, are not used. */
const UNKNOWN_TYPE = 705;

/** Adapts a transaction of postgres.js. */
export function ofPostgresJs(tx: PostgresTransaction): CallerTransaction {
  return {
    driver: "postgres.js",
    transaction: tx,
    query: async (text, params) => {
      const typed = params.map((value) =>
        value === null ? null : tx.typed(String(value) as never, UNKNOWN_TYPE),
      );
      // Values as PostgreSQL sends them: a client that transforms values would rename the keys of JSON.
      const rows = await tx.unsafe(text, typed as never[], { prepare: true }).raw();
      return rows.map((row) => (Array.isArray(row) ? row.map(textOf) : row));
    },
    isolate: <T>(work: (inner: CallerTransaction) => Promise<T>) => {
      const { savepoint } = tx as { savepoint: (run: (inner: PostgresTransaction) => unknown) => Promise<T> };
      return savepoint((inner) => work(ofPostgresJs(inner)));
    },
  };
}

function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}

/** Throws TRANSACTION_UNUSABLE if an adapter got something else than the transaction of its driver. */
export function expectTransaction(isExpected: boolean, adapter: string, expected: string): void {
  if (!isExpected) throw unusable(`${adapter} needs an open transaction. Pass ${expected}.`);
}

/** Throws TRANSACTION_UNUSABLE if drivers would misread values in a transaction with these settings. */
export function refuseSettings(wrong_settings: string): void {
  if (wrong_settings === "") return;
  throw unusable(
    `With the settings of the transaction, drivers misread values. Run \`set local ${wrong_settings}\` in it before the first command, ` +
      "or change the setting of the role or the database.",
  );
}

/** Explains an error of the caller's transaction itself; null for any other error. */
export function transactionFault(error: unknown): PawlError | null {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "25P02")
    return unusable(
      "An earlier statement of the transaction failed, so PostgreSQL refuses all further ones. Roll the transaction back. " +
        "Run statements that may fail behind a savepoint.",
      error,
    );
  if (code === "25P01")
    return unusable(
      "There is no open transaction: it was never begun, or it has ended. Await every call of Pawl before the transaction ends.",
      error,
    );
  if (code === "25006") return unusable("The transaction is read-only. Begin one that may write.", error);
  if (code === "42501")
    return unusable(
      `The role of the transaction lacks a privilege on Pawl's tables: ${messageOf(error)}. Run the SQL that \`pawl migrate --grant <role>\` prints, ` +
        "or begin the transaction as the role of `openPawl`.",
      error,
    );
  if (code === "42P01" || code === "3F000")
    return unusable(
      `The database of the transaction lacks Pawl's tables: ${messageOf(error)}. Begin the transaction on the database that \`openPawl\` uses.`,
      error,
    );
  return null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type WrappedError = {
  code?: unknown;
  constraint_name?: unknown;
  constraint?: unknown;
  cause?: unknown;
  driverError?: unknown;
  /** Set by Prisma: contains the error of its driver adapter. */
  meta?: { driverAdapterError?: unknown } | undefined;
  originalCode?: unknown;
  originalMessage?: unknown;
  message?: unknown;
};

const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Converts an error of any driver to the fields that Pawl reads: ORMs wrap the driver's errors, and drivers name fields differently.
 * Returns null for an error without a code of PostgreSQL.
 */
function databaseError(error: unknown): Error | null {
  for (let at: unknown = error, depth = 0; at instanceof Object && depth < 5; depth++) {
    const { code, originalCode, originalMessage, message, ...more } = at as WrappedError;
    const state = [code, originalCode].find(isState);
    if (state !== undefined) {
      const text = String(originalMessage ?? message);
      const { constraint_name, constraint } = more;
      const name = [constraint_name, constraint].find((one) => typeof one === "string");
      return Object.assign(new Error(text, { cause: error }), {
        code: state,
        constraint_name: name ?? /constraint "([^"]+)"/.exec(text)?.[1],
      });
    }
    at = more.driverError ?? more.meta?.driverAdapterError ?? more.cause;
  }
  return null;
}

/** Distinguishes PostgreSQL's codes from those of Prisma, which also have five characters ("P2010"). */
function isState(code: unknown): code is string {
  return typeof code === "string" && SQLSTATE.test(code) && !/^P[1-9]/.test(code);
}
