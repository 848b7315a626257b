import type { PendingRows, Queryable } from "../transaction.ts";

/**
 * The statements of one optimistic batch. The batch is given up when a connection closes and no answer arrives in time, and its
 * commands are retried. Its code may still be waiting for a read: after `stop` it sends nothing more, because a write based on a
 * row that the retry has already changed would repeat the command. A write that was sent before is harmless: it names the
 * identity of its rows, the ids of its tasks or its key.
 */
export class BatchStatements implements Queryable {
  private readonly sql: Queryable;
  private isStopped = false;

  constructor(sql: Queryable) {
    this.sql = sql;
  }

  unsafe(text: string, params: never[], options: { prepare: true }): PendingRows {
    if (this.isStopped) throw new Error("the batch was given up");
    return this.sql.unsafe(text, params, options);
  }

  stop(): void {
    this.isStopped = true;
  }
}
