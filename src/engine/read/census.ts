import { countConnections, countUnfinished, countWaiting, readSweepLag } from "../sql/count-tasks.ts";
import type { ConnectionRow, UnfinishedRow, WaitingRow } from "../sql/count-tasks.ts";
import type { Tx } from "../transaction.ts";

/** Counts of unfinished and waiting tasks, the lag of the sweep, and connections; for metrics. */
export type Census = {
  unfinished: UnfinishedRow[];
  waiting: WaitingRow[];
  sweep_lag_seconds: number;
  connections: ConnectionRow[];
};

export async function readCensus(tx: Tx): Promise<Census> {
  const [unfinished, waiting, sweep_lag_seconds, connections] = await Promise.all([
    countUnfinished(tx),
    countWaiting(tx),
    readSweepLag(tx),
    countConnections(tx),
  ]);
  return { unfinished, waiting, sweep_lag_seconds, connections };
}
