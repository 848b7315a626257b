import type { JsonObject, Lease, Lifecycle, Task } from "../../core/index.ts";
import type { RowIdentity } from "../sql/task-columns.ts";

/** A task as of this node's last read or write of its row. */
export type CachedRow = RowIdentity & { lifecycle: Lifecycle; task: Task; awaited: boolean };

const MAX_ROWS = 20_000;
const MAX_DATA_LENGTH = 4_096;

/**
 * Cache of the rows that this node has read or written. Deciding on a cached row is safe: the write names the row's identity
 * (ctid, xmin) and changes nothing if the row was written since.
 */
export class RowCache {
  private readonly rows = new Map<string, CachedRow>();

  get(org_id: string, id: string): CachedRow | undefined {
    return this.rows.get(keyOf(org_id, id));
  }

  set({ lifecycle, task, ctid, xmin, awaited }: CachedRow): void {
    const key = keyOf(task.org_id, task.id);
    // Delete before set: a map iterates in insertion order, and the first entry is evicted.
    this.rows.delete(key);
    if (lifecycle.statuses[task.status]?.final || isLarge(task.data)) return;
    const cached = task.lease === null ? task : { ...task, lease: new LeaseWithoutHeartbeat(task.lease) };
    this.rows.set(key, { lifecycle, task: cached, ctid, xmin, awaited });
    if (this.rows.size > MAX_ROWS) this.rows.delete(this.rows.keys().next().value as string);
  }

  delete(org_id: string, id: string): void {
    this.rows.delete(keyOf(org_id, id));
  }
}

/** Thrown on reading a field whose value is unknown; the caller falls back to reading the row. */
export class UnknownValue extends Error {}

/** Reads the fields of a lease that heartbeats change; throws UnknownValue on a cached lease. */
export function requireHeartbeat({ until, heartbeat_at }: Lease): Pick<Lease, "until" | "heartbeat_at"> {
  return { until, heartbeat_at };
}

/** A cached lease. Heartbeats renew a lease without writing the task's row, so only its token and holder can be cached. */
class LeaseWithoutHeartbeat implements Lease {
  readonly token: string;
  readonly holder: string;

  constructor({ token, holder }: Lease) {
    this.token = token;
    this.holder = holder;
  }

  get until(): number {
    throw new UnknownValue();
  }

  get heartbeat_at(): number {
    throw new UnknownValue();
  }
}

function keyOf(org_id: string, id: string): string {
  return `${id}${org_id}`;
}

/** A rough estimate: only long strings and nested values make a task's data large. */
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
