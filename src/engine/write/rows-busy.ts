/** Thrown if another transaction has locked a row that this one needs: it is rolled back and retried later. */
export class RowsBusy extends Error {
  constructor() {
    super("another transaction has locked a task that this one needs");
  }
}

/** The outcome of a command whose row another transaction has locked: the command is retried later. */
export const BUSY = Symbol("the row is locked by another transaction");
