/** Thrown where work needs a row that somebody else has locked: it is undone and tried again later. */
export class RowsBusy extends Error {
  constructor() {
    super("another transaction has locked a task that this one needs");
  }
}

/** Said of a command whose row somebody else has locked: it is set aside and tried again. */
export const BUSY = Symbol("the row is locked by another transaction");
