import type { RouteMeta } from "../../client/request.ts";

/** An action that was tapped and is not carried out yet. */
export type OutboxEntry = {
  /** The idempotency key: however often the entry is sent, it takes effect once. */
  key: string;
  /** Entries are sent in this order. */
  seq: number;
  queued_at: number;
  lifecycle: string;
  task_id: string;
  title: string;
  action: string;
  /** The version of the task that the person saw. */
  row_version: number;
  /** The text that the person typed; null if the action has none. */
  text: string | null;
  /** The page on which it was queued. */
  page: string;
  route: RouteMeta;
  fields: Record<string, unknown>;
  /** The server's refusal. The entry is kept until the person discards it or sends it again. */
  refusal: StoredRefusal | null;
};

type StoredRefusal = {
  code: string;
  status: number;
  detail: string;
  next: string;
  params: Readonly<Record<string, unknown>>;
};

const PREFIX = "pawl.outbox.";

/**
 * The unsent entries of one member in localStorage. Each entry has a storage key of its own, so that two tabs which write at the
 * same time cannot overwrite each other's entries.
 */
export class OutboxStore {
  private readonly prefix: string;
  /** Entries that the browser refused to store; they last until the page is closed. */
  private readonly unstored = new Map<string, OutboxEntry>();

  constructor(owner: { org_id: string; id: string }) {
    this.prefix = `${PREFIX}${encodeURIComponent(owner.org_id)}/${encodeURIComponent(owner.id)}/`;
  }

  /** All entries in the order in which they are sent. */
  list(): OutboxEntry[] {
    const stored = this.keys().flatMap((key) => parse(localStorage.getItem(key)) ?? []);
    return [...stored, ...this.unstored.values()].toSorted(
      (a, b) => a.seq - b.seq || a.queued_at - b.queued_at || a.key.localeCompare(b.key),
    );
  }

  has(key: string): boolean {
    return this.list().some((entry) => entry.key === key);
  }

  put(entry: OutboxEntry): void {
    try {
      localStorage.setItem(this.prefix + entry.key, JSON.stringify(entry));
      this.unstored.delete(entry.key);
    } catch {
      this.unstored.set(entry.key, entry);
    }
  }

  remove(key: string): void {
    this.unstored.delete(key);
    try {
      localStorage.removeItem(this.prefix + key);
    } catch {
      // Without storage, the entry was only in memory.
    }
  }

  /** True if some entries would be lost when the page is closed. */
  get isVolatile(): boolean {
    return this.unstored.size > 0;
  }

  /** True if a change of this storage key, made by another tab, concerns these entries; null means all keys. */
  owns(key: string | null): boolean {
    return key === null || key.startsWith(this.prefix);
  }

  private keys(): string[] {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    } catch {
      return [];
    }
  }
}

function parse(text: string | null): OutboxEntry | null {
  try {
    return JSON.parse(text ?? "null") as OutboxEntry | null;
  } catch {
    return null;
  }
}
