import { secondsOf } from "../../../client/problem.ts";
import { DeliveryFault, faultOf } from "../faults.ts";
import type { Entry, OpenedFile, Storage } from "./storage.ts";
import { YandexTokens } from "./yandex-tokens.ts";
import type { TokenStore, YandexAccount } from "./yandex-tokens.ts";

export type YandexDisk = YandexAccount & {
  /** Of the REST API. */
  apiUrl: string;
  /** The folder that is the library: `disk:/Library`. */
  folder: string;
  /** How long an answer, or the next bytes of a file, may take. */
  patienceMs: number;
};

const PAGE = 500;
const FIELDS = ["name", "type", "path", "size", "sha256", "md5", "modified"];
const ITEM_FIELDS = FIELDS.map((field) => `_embedded.items.${field}`).join(",");

type Resource = {
  name: string;
  type: "dir" | "file";
  path: string;
  size?: number;
  sha256?: string;
  md5?: string;
  modified?: string;
};

/** A folder of Yandex Disk, by its REST API. */
export function yandexDisk(disk: YandexDisk, store: TokenStore): Storage {
  const api = new YandexApi(disk, new YandexTokens(disk, store));
  return {
    list: (folder, signal) => api.list(folder ?? disk.folder, signal),
    open: (path, signal) => api.open(path, signal),
  };
}

class YandexApi {
  private readonly disk: YandexDisk;
  private readonly tokens: YandexTokens;

  constructor(disk: YandexDisk, tokens: YandexTokens) {
    this.disk = disk;
    this.tokens = tokens;
  }

  async *list(path: string, signal: AbortSignal): AsyncGenerator<readonly Entry[]> {
    for (let offset = 0; ; offset += PAGE) {
      const query = {
        path,
        limit: PAGE,
        offset,
        sort: "name",
        fields: `type,_embedded.total,${ITEM_FIELDS}`,
      };
      const { _embedded } = await this.ask<{ _embedded?: { items: Resource[]; total: number } }>(
        "/v1/disk/resources",
        query,
        signal,
      );
      const { items = [], total = 0 } = _embedded ?? {};
      if (items.length > 0) yield items.map(entryOf);
      if (items.length === 0 || offset + items.length >= total) return;
    }
  }

  async open(path: string, signal: AbortSignal): Promise<OpenedFile> {
    const query = { path, fields: FIELDS.join(",") };
    const about = await this.ask<Resource>("/v1/disk/resources", query, signal);
    const { type, size, sha256 = null } = about;
    if (type !== "file" || size === undefined) throw new DeliveryFault({ side: "storage", status: 404 });
    const revision = revisionOf(about);
    const read = (from: number, reading: AbortSignal) => this.read(path, { size, from }, reading);
    return { size, revision, sha256, read, close: () => Promise.resolve() };
  }

  /** Asked for a link each time: links live shortly. */
  private async *read(
    path: string,
    { size, from }: { size: number; from: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { href } = await this.ask<{ href: string }>("/v1/disk/resources/download", { path }, signal);
    const token = await this.tokens.access();
    const leaving = new AbortController();
    const both = AbortSignal.any([signal, leaving.signal]);
    // fetch takes the token off where it is sent on to another host.
    const headers = { authorization: `OAuth ${token}`, ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
    try {
      const response = await this.within(fetch(href, { headers, signal: both }));
      if (!response.ok) throw await refusalOf(response);
      expectBytes(response, { size, from });
      if (response.body === null) return;
      const chunks = response.body[Symbol.asyncIterator]();
      for (;;) {
        const next = await this.within(chunks.next());
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, "storage");
    } finally {
      leaving.abort();
    }
  }

  private async ask<T>(
    path: string,
    query: Record<string, string | number>,
    signal: AbortSignal,
  ): Promise<T> {
    const url = new URL(this.disk.apiUrl + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const send = async (token: string) => {
      const timed = AbortSignal.any([signal, AbortSignal.timeout(this.disk.patienceMs)]);
      const headers = { authorization: `OAuth ${token}`, accept: "application/json" };
      const response = await fetch(url, { headers, signal: timed });
      return { response, answer: response.ok ? ((await response.json()) as T) : null };
    };
    try {
      const token = await this.tokens.access();
      let { response, answer } = await send(token);
      if (response.status === 401) ({ response, answer } = await send(await this.tokens.insteadOf(token)));
      if (answer === null) throw await refusalOf(response);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, "storage");
    }
  }

  /** Waits no longer than one may for an answer. */
  private async within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new DeliveryFault({ side: "storage", network: "timeout" }));
      }, this.disk.patienceMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      // What comes of it later has been told.
      work.catch(() => undefined);
    }
  }
}

/** What is sent must be as long as what is stored, and begin where it was asked to. */
function expectBytes(response: Response, { size, from }: { size: number; from: number }): void {
  const length = response.headers.get("content-length");
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  const whole = from === 0 && response.status === 200 && (length === null || Number(length) === size);
  const rest =
    response.status === 206 &&
    Number(range?.[1]) === from &&
    (range?.[2] === "*" || Number(range?.[2]) === size);
  if (!whole && !rest) throw new DeliveryFault({ side: "storage", word: "corrupted" });
}

/** `{message, description, error: "DiskNotFoundError"}`; the words may name a path, and are not told on. */
async function refusalOf(response: Response): Promise<DeliveryFault> {
  const { error = "" } = (await response.json().catch(() => ({}))) as { error?: string };
  const retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
  return new DeliveryFault({ side: "storage", status: response.status, word: error, retryAfterSeconds });
}

function entryOf(item: Resource): Entry {
  const { name, path } = item;
  if (item.type === "dir") return { kind: "folder", path, name, size: null, revision: null };
  return { kind: "file", path, name, size: item.size ?? null, revision: revisionOf(item) };
}

function revisionOf({ sha256, md5, modified, size }: Resource): string {
  return sha256 ?? md5 ?? `${size ?? 0}-${modified ?? ""}`;
}
