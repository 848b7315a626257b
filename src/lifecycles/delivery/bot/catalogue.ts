import { v7 as uuidv7 } from "uuid";
import { deliveryEntry } from "../api.ts";
import type { DeliveryFile } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { faultOf } from "../worker/faults.ts";
import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import type { Entry, Storage } from "../worker/storage/storage.ts";
import { withTimeLimit } from "../worker/with-time-limit.ts";

/** A folder scanned less than this ago is not scanned again. */
const CACHE_MS = 20_000;
/** Maximum wait for the storage when a user opens a folder; after that the folder is shown as last scanned. */
const SCAN_TIMEOUT_MS = 8_000;
const MAX_DEPTH = 64;
/** After this many consecutive failures the storage itself counts as unavailable. */
const MAX_UNREADABLE = 3;

type FolderPage = { folder: DeliveryFile | null; files: DeliveryFile[]; total: number; similar: boolean };
type PageOptions = { page: number; perPage: number };

/** The server's copy of the storage's folders. A folder is scanned again when a user opens it. */
export class Catalogue {
  private readonly calls: DeliveryCalls;
  private readonly storage: Storage;
  private readonly log: Log;
  private readonly scannedAt = new Map<string, number>();
  /** Running scans, shared by users who open the same folder at once. */
  private readonly scans = new Map<string, Promise<void>>();

  private syncing: Promise<void> | null = null;

  constructor({ calls, storage, log }: { calls: DeliveryCalls; storage: Storage; log: Log }) {
    this.calls = calls;
    this.storage = storage;
    this.log = log;
  }

  /** Returns one page of a folder. */
  async open(folder_id: string | null, { page, perPage }: PageOptions): Promise<FolderPage> {
    await this.refresh(folder_id);
    const folder = folder_id === null ? {} : { folder_id };
    return this.calls.listDeliveryFiles({ ...folder, limit: perPage, offset: page * perPage });
  }

  search(q: string, { page, perPage }: PageOptions): Promise<FolderPage> {
    return this.calls.listDeliveryFiles({ q, limit: perPage, offset: page * perPage });
  }

  file(id: string): Promise<DeliveryFile> {
    return this.calls.getDeliverySource({ id });
  }

  /** Scans the whole storage, so that search finds files in folders that no user has opened. */
  async scanAll(signal: AbortSignal): Promise<void> {
    const queue: { path: string | null; depth: number }[] = [{ path: null, depth: 0 }];
    let unreadable = 0;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { path, depth } = next;
      try {
        const folders = await this.scanFolder(path, signal);
        unreadable = 0;
        if (depth < MAX_DEPTH) queue.push(...folders.map((folder) => ({ path: folder, depth: depth + 1 })));
      } catch (error) {
        // One unreadable folder does not stop the scan of the others.
        const { code } = faultOf(error, "storage");
        if (signal.aborted || code === SOURCE_TOKEN_INVALID || ++unreadable >= MAX_UNREADABLE) throw error;
        this.log.warn(redactedError(error), "a folder could not be scanned; continuing with the others");
      }
    }
  }

  /** Scans the whole storage on request; requests at the same time share one scan. */
  sync(): Promise<void> {
    this.syncing ??= this.scanAll(new AbortController().signal).finally(() => {
      this.syncing = null;
    });
    return this.syncing;
  }

  private async refresh(folder_id: string | null): Promise<void> {
    const key = folder_id ?? "";
    if (Date.now() - (this.scannedAt.get(key) ?? 0) < CACHE_MS) return;
    let scan = this.scans.get(key);
    if (!scan) {
      scan = this.refreshFolder(folder_id, key).finally(() => this.scans.delete(key));
      this.scans.set(key, scan);
    }
    return scan;
  }

  private async refreshFolder(folder_id: string | null, key: string): Promise<void> {
    const path = folder_id === null ? null : (await this.calls.getDeliverySource({ id: folder_id })).path;
    try {
      const limit = { ms: SCAN_TIMEOUT_MS, side: "storage", signal: new AbortController().signal } as const;
      await withTimeLimit(limit, (signal) => this.scanFolder(path, signal));
      if (this.scannedAt.size > 10_000) this.scannedAt.clear();
      this.scannedAt.set(key, Date.now());
    } catch (error) {
      this.log.warn(redactedError(error), "a folder could not be scanned; showing its last known contents");
    }
  }

  /** Sends the contents of a folder to the server; returns the paths of its subfolders. */
  private async scanFolder(path: string | null, signal: AbortSignal): Promise<string[]> {
    // Scans can overlap, and the later one wins: UUIDs v7 sort by their start.
    const scan = uuidv7();
    const folders: string[] = [];
    try {
      for await (const entries of this.storage.list(path, signal)) {
        const valid = entries.filter((entry) => this.isValid(entry));
        await this.calls.saveDeliveryFiles({ folder: path, scan, entries: valid, last: false });
        folders.push(...valid.filter(isFolder).map((entry) => entry.path));
      }
      await this.calls.saveDeliveryFiles({ folder: path, scan, entries: [], last: true });
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, "storage");
      // A deleted folder counts as empty.
      if (fault.code === "FILE_NOT_FOUND" && path !== null)
        await this.calls.saveDeliveryFiles({ folder: path, scan, entries: [], last: true });
      else if (fault.code === SOURCE_TOKEN_INVALID)
        await this.calls.callDeliveryAdmin({ reason: fault.message });
      if (fault.code !== "FILE_NOT_FOUND" || path === null) throw error;
    }
    return folders;
  }

  /** An entry with an invalid name, such as a too long one, is skipped. */
  private isValid(entry: Entry): boolean {
    const isValid = deliveryEntry.safeParse(entry).success;
    if (!isValid) this.log.warn({ kind: entry.kind }, "an entry in the storage has an invalid name; skipped");
    return isValid;
  }
}

function isFolder({ kind }: Entry): boolean {
  return kind === "folder";
}
