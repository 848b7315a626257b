import type { JsonObject, Lease, Lifecycle, Task } from "../../core/index.ts";
import type { RowIdentity } from "../sql/task-columns.ts";

/** A task as it was when this node last read or wrote its row. */
export type KnownRow = RowIdentity & { lifecycle: Lifecycle; task: Task; awaited: boolean };

const MAX_ROWS = 20_000;
const MAX_DATA_LENGTH = 4_096;

/**
 * Rows that this node has just read or written. A decision may rest on one of them, because the write names the row's
 * identity and changes nothing once anybody else has written it.
 */
export class KnownRows {
  private readonly rows = new Map<string, KnownRow>();

  get(org_id: string, id: string): KnownRow | undefined {
    return this.rows.get(keyOf(org_id, id));
  }

  set({ lifecycle, task, place, writer, awaited }: KnownRow): void {
    const key = keyOf(task.org_id, task.id);
    // Removed first: a map keeps the order of insertion, and the oldest entry is the one to go.
    this.rows.delete(key);
    if (lifecycle.statuses[task.status]?.final || isLarge(task.data)) return;
    const kept = task.lease === null ? task : { ...task, lease: new LeaseWithoutBeats(task.lease) };
    this.rows.set(key, { lifecycle, task: kept, place, writer, awaited });
    if (this.rows.size > MAX_ROWS) this.rows.delete(this.rows.keys().next().value as string);
  }

  delete(org_id: string, id: string): void {
    this.rows.delete(keyOf(org_id, id));
  }
}

/** Thrown by what is not known of a known row. */
export class NotKnown extends Error {}

/** Reads what heartbeats change of a lease; throws NotKnown where that is not known. */
export function needBeats({ until, heartbeat_at }: Lease): Pick<Lease, "until" | "heartbeat_at"> {
  return { until, heartbeat_at };
}

/** Heartbeats renew a lease without changing the task's row, so that only its token and holder stay as they were. */
class LeaseWithoutBeats implements Lease {
  readonly token: string;
  readonly holder: string;

  constructor({ token, holder }: Lease) {
    this.token = token;
    this.holder = holder;
  }

  get until(): number {
    throw new NotKnown();
  }

  get heartbeat_at(): number {
    throw new NotKnown();
  }
}

function keyOf(org_id: string, id: string): string {
  return `${id}${org_id}`;
}

/** A rough estimate: long texts are what makes a task's data large. */
function isLarge(data: JsonObject): boolean {
  let length = 0;
  for (const key in data) {
    const value = data[key];
    if (typeof value === "string") length += value.length;
    else if (typeof value === "object" && value !== null) length += JSON.stringify(value).length;
    if (length > MAX_DATA_LENGTH) return true;
  }
  return false;
}
