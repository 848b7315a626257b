import { secondsOf } from "../../../../client/problem.ts";
import { DeliveryFault, faultOf } from "../faults.ts";
import { SOURCE_TOKEN_INVALID } from "../../lifecycle.ts";
import { withTimeLimit } from "../with-time-limit.ts";
import type { TimeLimit } from "../with-time-limit.ts";
import { rangeHeaders, readRange } from "./read-range.ts";
import type { Entry, OpenedFile, Storage } from "./storage.ts";
import { YandexTokens } from "./yandex-tokens.ts";
import type { TokenStore, YandexAccount } from "./yandex-tokens.ts";

export type YandexDiskOptions = YandexAccount & {
  /** Address of the REST API. */
  apiUrl: string;
  /** The library's folder, such as `disk:/Library`. */
  folder: string;
  /** Maximum wait for an answer, or for the next bytes of a file. */
  retryTimeoutMs: number;
};

const PAGE_SIZE = 500;
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

/** A folder on Yandex Disk, accessed by its REST API. */
export function yandexDisk(disk: YandexDiskOptions, store: TokenStore): Storage {
  const api = new YandexApi(disk, new YandexTokens(disk, store));
  return {
    list: (folder, signal) => api.list(folder ?? disk.folder, signal),
    open: (path, signal) => api.open(path, signal),
  };
}

class YandexApi {
  private readonly disk: YandexDiskOptions;
  private readonly tokens: YandexTokens;

  constructor(disk: YandexDiskOptions, tokens: YandexTokens) {
    this.disk = disk;
    this.tokens = tokens;
  }

  async *list(path: string, signal: AbortSignal): AsyncGenerator<readonly Entry[]> {
    for (let offset = 0; ; offset += PAGE_SIZE) {
      const query = {
        path,
        limit: PAGE_SIZE,
        offset,
        sort: "name",
        fields: `type,_embedded.total,${ITEM_FIELDS}`,
      };
      const { _embedded } = await this.request<{ _embedded?: { items: Resource[]; total: number } }>(
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
    const resource = await this.request<Resource>("/v1/disk/resources", query, signal);
    const { type, size, sha256 = null } = resource;
    if (type !== "file" || size === undefined) throw new DeliveryFault({ side: "storage", status: 404 });
    const revision = revisionOf(resource);
    const read = (from: number, reading: AbortSignal) =>
      readRange({
        size,
        from,
        stallMs: this.disk.retryTimeoutMs,
        signal: reading,
        request: (limit) => this.download(path, from, limit),
      });
    return { size, revision, sha256, read, close: () => Promise.resolve() };
  }

  /** Requests a new link each time, because links expire soon. */
  private async download(path: string, from: number, limit: TimeLimit): Promise<Response> {
    const { href } = await this.request<{ href: string }>(
      "/v1/disk/resources/download",
      { path },
      limit.signal,
    );
    // On a redirect to another host, fetch removes the token.
    const get = (token: string) =>
      withTimeLimit(limit, () =>
        fetch(href, {
          headers: { authorization: `OAuth ${token}`, ...rangeHeaders(from) },
          signal: limit.signal,
        }),
      );
    const token = await this.tokens.access();
    let response = await get(token);
    // The token may have expired since the link was requested.
    if (response.status === 401) response = await get(await this.tokens.replace(token));
    if (!response.ok) throw await faultOfResponse(response);
    return response;
  }

  private async request<T>(
    path: string,
    query: Record<string, string | number>,
    signal: AbortSignal,
  ): Promise<T> {
    const url = new URL(this.disk.apiUrl + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const send = (token: string) =>
      withTimeLimit({ ms: this.disk.retryTimeoutMs, side: "storage", signal }, async (waiting) => {
        const headers = { authorization: `OAuth ${token}`, accept: "application/json" };
        const response = await fetch(url, { headers, signal: waiting });
        return response.ok ? ((await response.json()) as T & object) : faultOfResponse(response);
      });
    try {
      const token = await this.tokens.access();
      let answer = await send(token);
      if (answer instanceof DeliveryFault && answer.code === SOURCE_TOKEN_INVALID)
        answer = await send(await this.tokens.replace(token));
      if (answer instanceof DeliveryFault) throw answer;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, "storage");
    }
  }
}

/** Reads `{message, description, error: "DiskNotFoundError"}`. The texts may contain a path, so only `error` is used. */
async function faultOfResponse(response: Response): Promise<DeliveryFault> {
  const { error = "" } = (await response.json().catch(() => ({}))) as { error?: string };
  const retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
  return new DeliveryFault({
    side: "storage",
    status: response.status,
    description: error,
    retryAfterSeconds,
  });
}

function entryOf(item: Resource): Entry {
  const { name, path } = item;
  if (item.type === "dir") return { kind: "folder", path, name, size: null, revision: null };
  return { kind: "file", path, name, size: item.size ?? null, revision: revisionOf(item) };
}

function revisionOf({ sha256, md5, modified, size }: Resource): string {
  return sha256 ?? md5 ?? `${size ?? 0}-${modified ?? ""}`;
}
