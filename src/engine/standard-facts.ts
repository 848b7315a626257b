import { readBlockers } from "./statements/dependencies.ts";
import { readHolds } from "./statements/holds.ts";
import type { Tx } from "./transaction.ts";
import type { Ask, FactLoader } from "./lifecycle-parts.ts";

/** Facts of every lifecycle: they word a refusal, so they are read only where something is open. */
export const STANDARD_FACTS: Readonly<Record<string, FactLoader>> = {
  blockers: (tx, org_id, asks) =>
    perTask(tx, org_id, asks, ({ task }) => task.open_blockers > 0, readBlockers),
  holds: (tx, org_id, asks) => perTask(tx, org_id, asks, ({ task }) => task.open_holds > 0, readHolds),
};

async function perTask<Row extends { task_id: string }>(
  tx: Tx,
  org_id: string,
  asks: readonly Ask[],
  isWorthReading: (ask: Ask) => boolean,
  read: (tx: Tx, org_id: string, ids: readonly string[]) => Promise<Row[]>,
): Promise<unknown[]> {
  const rows = await read(
    tx,
    org_id,
    asks.filter(isWorthReading).map(({ task }) => task.id),
  );
  return asks.map(({ task }) =>
    rows.filter((row) => row.task_id === task.id).map(({ task_id: _, ...fact }) => fact),
  );
}
