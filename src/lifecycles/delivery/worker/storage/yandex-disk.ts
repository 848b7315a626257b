import { followSignals } from "../../../../std/follow-signals.ts";
import { secondsOf } from "../../../../client/problem.ts";
import { DeliveryFault, faultOf } from "../faults.ts";
import { SOURCE_TOKEN_INVALID } from "../../lifecycle.ts";
import { withinTime } from "../within-time.ts";
import type { Limit } from "../within-time.ts";
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

  private async *read(
    path: string,
    { size, from }: { size: number; from: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const reading = followSignals([signal]);
    const limit = { ms: this.disk.patienceMs, side: "storage", signal: reading.signal } as const;
    // One watch for all of the file: a signal and a timer for each piece were most of the worker's garbage.
    let waitsSince = Infinity;
    const watch = setInterval(
      () => {
        if (Date.now() - waitsSince >= limit.ms)
          reading.abort(new DeliveryFault({ side: "storage", network: "timeout" }));
      },
      Math.min(1_000, limit.ms / 4),
    );
    try {
      const response = await this.fetchFrom(path, from, limit);
      expectBytes(response, { size, from });
      if (response.body === null) return;
      waitsSince = Date.now();
      for await (const chunk of response.body) {
        // As long as the piece is with somebody else it is not the storage that is waited for.
        waitsSince = Infinity;
        yield chunk;
        waitsSince = Date.now();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, "storage");
    } finally {
      clearInterval(watch);
      reading.abort();
      reading.release();
    }
  }

  /** Asked for a link each time: links live shortly. */
  private async fetchFrom(path: string, from: number, limit: Limit): Promise<Response> {
    const { href } = await this.ask<{ href: string }>("/v1/disk/resources/download", { path }, limit.signal);
    const range = from > 0 ? { range: `bytes=${from}-` } : {};
    // fetch takes the token off where it is sent on to another host.
    const get = (token: string) =>
      withinTime(limit, () =>
        fetch(href, { headers: { authorization: `OAuth ${token}`, ...range }, signal: limit.signal }),
      );
    const token = await this.tokens.access();
    let response = await get(token);
    // It may have ended since the link was given.
    if (response.status === 401) response = await get(await this.tokens.insteadOf(token));
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  private async ask<T>(
    path: string,
    query: Record<string, string | number>,
    signal: AbortSignal,
  ): Promise<T> {
    const url = new URL(this.disk.apiUrl + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const send = (token: string) =>
      withinTime({ ms: this.disk.patienceMs, side: "storage", signal }, async (waiting) => {
        const headers = { authorization: `OAuth ${token}`, accept: "application/json" };
        const response = await fetch(url, { headers, signal: waiting });
        return response.ok ? ((await response.json()) as T & object) : refusalOf(response);
      });
    try {
      const token = await this.tokens.access();
      let answer = await send(token);
      if (answer instanceof DeliveryFault && answer.code === SOURCE_TOKEN_INVALID)
        answer = await send(await this.tokens.insteadOf(token));
      if (answer instanceof DeliveryFault) throw answer;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, "storage");
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
