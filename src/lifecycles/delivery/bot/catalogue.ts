import { v7 as uuidv7 } from "uuid";
import { deliveryEntry } from "../api.ts";
import type { DeliveryFile } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { faultOf } from "../worker/faults.ts";
import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";
import { tellable } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import type { Entry, Storage } from "../worker/storage/storage.ts";
import { withinTime } from "../worker/within-time.ts";

/** A folder that was looked at so short a time ago is shown as it was then. */
const FRESH_MS = 20_000;
/** Who opens a folder does not wait longer for the storage: then it is shown as it was last seen. */
const LOOK_MS = 8_000;
const DEEPEST = 64;
/** So many folders in a row that cannot be read are no longer about folders: then the storage is out of order. */
const MOST_UNREADABLE = 3;

type Opened = { folder: DeliveryFile | null; files: DeliveryFile[]; total: number };
type Page = { page: number; perPage: number };

/** What there is in storage, as the server knows it; folders are looked at again when somebody opens them. */
export class Catalogue {
  private readonly calls: DeliveryCalls;
  private readonly storage: Storage;
  private readonly log: Log;
  private readonly looked = new Map<string, number>();
  /** Looks that are under way: many who open a folder at once share one. */
  private readonly looking = new Map<string, Promise<void>>();

  constructor({ calls, storage, log }: { calls: DeliveryCalls; storage: Storage; log: Log }) {
    this.calls = calls;
    this.storage = storage;
    this.log = log;
  }

  /** One page of a folder. */
  async open(folder_id: string | null, { page, perPage }: Page): Promise<Opened> {
    await this.lookAgain(folder_id);
    const place = folder_id === null ? {} : { folder_id };
    return this.calls.listDeliveryFiles({ ...place, limit: perPage, offset: page * perPage });
  }

  search(q: string, limit: number): Promise<Opened> {
    return this.calls.listDeliveryFiles({ q, limit });
  }

  file(id: string): Promise<DeliveryFile> {
    return this.calls.getDeliverySource({ id });
  }

  /** Looks through all of the storage, so that what nobody has opened yet can be found. */
  async walk(signal: AbortSignal): Promise<void> {
    const ahead: { path: string | null; depth: number }[] = [{ path: null, depth: 0 }];
    let unreadable = 0;
    for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
      const { path, depth } = next;
      try {
        const folders = await this.look(path, signal);
        unreadable = 0;
        if (depth < DEEPEST) ahead.push(...folders.map((folder) => ({ path: folder, depth: depth + 1 })));
      } catch (error) {
        // One folder that is closed to us does not hide the others.
        const { code } = faultOf(error, "storage");
        if (signal.aborted || code === SOURCE_TOKEN_INVALID || ++unreadable >= MOST_UNREADABLE) throw error;
        this.log.warn(tellable(error), "a folder could not be looked at; the others are");
      }
    }
  }

  private async lookAgain(folder_id: string | null): Promise<void> {
    const key = folder_id ?? "";
    if (Date.now() - (this.looked.get(key) ?? 0) < FRESH_MS) return;
    let looking = this.looking.get(key);
    if (!looking) {
      looking = this.lookAt(folder_id, key).finally(() => this.looking.delete(key));
      this.looking.set(key, looking);
    }
    return looking;
  }

  private async lookAt(folder_id: string | null, key: string): Promise<void> {
    const path = folder_id === null ? null : (await this.calls.getDeliverySource({ id: folder_id })).path;
    try {
      const limit = { ms: LOOK_MS, side: "storage", signal: new AbortController().signal } as const;
      await withinTime(limit, (signal) => this.look(path, signal));
      if (this.looked.size > 10_000) this.looked.clear();
      this.looked.set(key, Date.now());
    } catch (error) {
      this.log.warn(tellable(error), "a folder could not be looked at; it is shown as it was");
    }
  }

  /** Tells the server what lies in a folder; gives the folders in it. */
  private async look(path: string | null, signal: AbortSignal): Promise<string[]> {
    // Looks may overlap, and the later one is right: so their names sort by when they began.
    const scan = uuidv7();
    const folders: string[] = [];
    try {
      for await (const entries of this.storage.list(path, signal)) {
        const known = entries.filter((entry) => this.canBeTold(entry));
        await this.calls.saveDeliveryFiles({ folder: path, scan, entries: known, last: false });
        folders.push(...known.filter(isFolder).map((entry) => entry.path));
      }
      await this.calls.saveDeliveryFiles({ folder: path, scan, entries: [], last: true });
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, "storage");
      // A folder that is gone is an empty one.
      if (fault.code === "FILE_NOT_FOUND" && path !== null)
        await this.calls.saveDeliveryFiles({ folder: path, scan, entries: [], last: true });
      else if (fault.code === SOURCE_TOKEN_INVALID)
        await this.calls.callDeliveryAdmin({ reason: fault.message });
      if (fault.code !== "FILE_NOT_FOUND" || path === null) throw error;
    }
    return folders;
  }

  /** A name that is too long, or no text, hides itself and nothing beside it. */
  private canBeTold(entry: Entry): boolean {
    const known = deliveryEntry.safeParse(entry).success;
    if (!known)
      this.log.warn({ kind: entry.kind }, "something in the storage has a name that cannot be told");
    return known;
  }
}

function isFolder({ kind }: Entry): boolean {
  return kind === "folder";
}
