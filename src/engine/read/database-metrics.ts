import {
  countConnections,
  countUnfinished,
  countWaiting,
  readInboxFigures,
  readSweepLag,
} from "../sql/count-tasks.ts";
import type { ConnectionRow, InboxFigures, UnfinishedRow, WaitingRow } from "../sql/count-tasks.ts";
import type { Tx } from "../transaction.ts";

/** Metrics that are read from the database: unfinished and waiting tasks, the lag of the sweep, the inbox, connections. */
export type DatabaseMetrics = {
  unfinished: UnfinishedRow[];
  waiting: WaitingRow[];
  sweep_lag_seconds: number;
  inbox: InboxFigures;
  connections: ConnectionRow[];
};

export async function readDatabaseMetrics(tx: Tx): Promise<DatabaseMetrics> {
  const [unfinished, waiting, sweep_lag_seconds, inbox, connections] = await Promise.all([
    countUnfinished(tx),
    countWaiting(tx),
    readSweepLag(tx),
    readInboxFigures(tx),
    countConnections(tx),
  ]);
  return { unfinished, waiting, sweep_lag_seconds, inbox, connections };
}
