import { AwsV4Signer } from "aws4fetch";
import { secondsOf } from "../../../../client/problem.ts";
import { DeliveryFault, faultOf } from "../faults.ts";
import { withTimeLimit } from "../with-time-limit.ts";
import type { TimeLimit } from "../with-time-limit.ts";
import { rangeHeaders, readRange } from "./read-range.ts";
import { errorCodeIn, parseListing } from "./s3-answers.ts";
import type { Listing } from "./s3-answers.ts";
import type { Entry, OpenedFile, Storage } from "./storage.ts";

export type S3Options = {
  /** Address of the server, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The library's folder in the bucket, such as `library`; empty: the whole bucket. */
  folder: string;
  /** Maximum wait for an answer, or for the next bytes of a file. */
  retryTimeoutMs: number;
};

const PAGE_SIZE = 1_000;

/** Errors that only an admin can fix, by other keys or another clock. S3 answers them with 400 or 403. */
const KEY_ERRORS = new Set([
  "ExpiredToken",
  "InvalidAccessKeyId",
  "InvalidSecurity",
  "InvalidToken",
  "RequestTimeTooSkewed",
  "SignatureDoesNotMatch",
]);

/**
 * A folder of a bucket, on any server with the S3 API. Buckets are addressed by path, which every such server supports. A
 * path is the key of an object; that of a folder ends with a slash.
 */
export function s3Storage(options: S3Options): Storage {
  const folder = options.folder.replace(/^\/+|\/+$/g, "");
  const bucket = new Bucket(options, folder === "" ? "" : `${folder}/`);
  return {
    list: (path, signal) => bucket.list(path, signal),
    open: (path, signal) => bucket.open(path, signal).catch(throwFault(signal)),
  };
}

class Bucket {
  private readonly options: S3Options;
  private readonly root: string;
  /** The signing keys of the day. */
  private readonly signingKeys = new Map<string, ArrayBuffer>();

  constructor(options: S3Options, root: string) {
    this.options = options;
    this.root = root;
  }

  async *list(folder: string | null, signal: AbortSignal): AsyncGenerator<readonly Entry[]> {
    const prefix = folder ?? this.root;
    let isEmpty = true;
    for (let token: string | null = ""; token !== null;) {
      const page: Listing = await this.listPage(prefix, token, signal).catch(throwFault(signal));
      const folders = page.folders.map((path) => folderEntry(path, prefix));
      // A key that ends with a slash marks a folder.
      const files = page.objects
        .filter(({ key }) => !key.endsWith("/"))
        .map(({ key, size, etag }) => fileEntry(key, prefix, { size, etag }));
      isEmpty &&= page.folders.length + page.objects.length === 0;
      const entries = [...folders, ...files].filter(({ path }) => isAddressable(path));
      if (entries.length > 0) yield entries;
      token = page.next;
    }
    // S3 has no folders: one without objects does not exist.
    if (isEmpty && folder !== null) throw new DeliveryFault({ side: "storage", status: 404 });
  }

  private async listPage(prefix: string, token: string, signal: AbortSignal) {
    const url = this.urlOf("");
    const query = { "list-type": "2", "encoding-type": "url", delimiter: "/", prefix, "max-keys": PAGE_SIZE };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    if (token !== "") url.searchParams.set("continuation-token", token);
    const limit = { ms: this.options.retryTimeoutMs, side: "storage", signal } as const;
    return withTimeLimit(limit, async (waiting) => {
      const response = await this.send("GET", url, {}, waiting);
      return parseListing(await response.text());
    });
  }

  async open(key: string, signal: AbortSignal): Promise<OpenedFile> {
    if (!key.startsWith(this.root) || !isAddressable(key))
      throw new DeliveryFault({ side: "storage", status: 403 });
    if (key.endsWith("/")) throw new DeliveryFault({ side: "storage", status: 404 });
    const limit = { ms: this.options.retryTimeoutMs, side: "storage", signal } as const;
    const { headers } = await withTimeLimit(limit, (waiting) => this.head(key, waiting));
    const size = Number(headers.get("content-length"));
    const etag = headers.get("etag");
    return {
      size,
      revision: revisionOf({ size, etag: etag ?? headers.get("last-modified") ?? "" }),
      sha256: hashIn(headers),
      read: (from, reading) =>
        readRange({
          size,
          from,
          stallMs: this.options.retryTimeoutMs,
          signal: reading,
          request: (waiting) => this.download(key, { from, etag }, waiting),
        }),
      close: () => Promise.resolve(),
    };
  }

  private async head(key: string, signal: AbortSignal): Promise<Response> {
    const url = this.urlOf(key);
    try {
      return await this.send("HEAD", url, { "x-amz-checksum-mode": "ENABLED" }, signal);
    } catch (error) {
      // The answer to HEAD has no body, so a rejected key looks like a denied file. One byte by GET has the reason.
      if (error instanceof DeliveryFault && error.code === "ACCESS_DENIED")
        await (await this.send("GET", url, { range: "bytes=0-0" }, signal)).body?.cancel();
      throw error;
    }
  }

  /** `If-Match`: an object that was replaced meanwhile is refused, instead of joined from two versions. */
  private download(
    key: string,
    { from, etag }: { from: number; etag: string | null },
    limit: TimeLimit,
  ): Promise<Response> {
    const headers = { ...rangeHeaders(from), ...(etag === null ? {} : { "if-match": etag }) };
    return withTimeLimit(limit, () => this.send("GET", this.urlOf(key), headers, limit.signal));
  }

  private async send(
    method: "GET" | "HEAD",
    url: URL,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const { accessKeyId, secretAccessKey, region } = this.options;
    const keys = { accessKeyId, secretAccessKey, region, service: "s3", cache: this.signingKeys };
    // Not signed, because a proxy may change it.
    const { "accept-encoding": encoding = "identity", ...signable } = headers;
    const signer = new AwsV4Signer({ ...keys, method, url: url.href, headers: signable });
    const signed = await signer.sign();
    signed.headers.set("accept-encoding", encoding);
    // A redirect would need another signature; it means that the region or the address is wrong.
    const response = await fetch(signed.url, { method, headers: signed.headers, signal, redirect: "manual" });
    if (!response.ok) throw await faultOfResponse(response);
    return response;
  }

  private urlOf(key: string): URL {
    const { endpoint, bucket } = this.options;
    return new URL(
      `${endpoint}/${[bucket, ...key.split("/")].map(encodeSegment).join("/")}`.replace(/\/$/, ""),
    );
  }
}

async function faultOfResponse(response: Response): Promise<DeliveryFault> {
  const code = errorCodeIn(await response.text().catch(() => ""));
  const retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
  if (KEY_ERRORS.has(code))
    return new DeliveryFault({ side: "storage", status: 401 }, { detail: `the keys are rejected: ${code}` });
  // The object was replaced since it was opened.
  if (response.status === 412) return new DeliveryFault({ side: "storage", description: "corrupted" });
  return new DeliveryFault({
    side: "storage",
    status: response.status,
    description: code,
    retryAfterSeconds,
  });
}

function throwFault(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted();
    throw faultOf(error, "storage");
  };
}

function folderEntry(path: string, prefix: string): Entry {
  return { kind: "folder", path, name: path.slice(prefix.length, -1), size: null, revision: null };
}

function fileEntry(path: string, prefix: string, object: { size: number; etag: string }): Entry {
  const name = path.slice(prefix.length);
  return { kind: "file", path, name, size: object.size, revision: revisionOf(object) };
}

function revisionOf({ size, etag }: { size: number; etag: string }): string {
  return `${size}-${etag.replaceAll('"', "")}`;
}

/** Returns the hash of the whole object; the hash of an object of several parts is one of their hashes. */
function hashIn(headers: Headers): string | null {
  const checksum = headers.get("x-amz-checksum-sha256");
  if (checksum === null || headers.get("x-amz-checksum-type") === "COMPOSITE") return null;
  const hash = Buffer.from(checksum, "base64");
  return hash.length === 32 && !checksum.includes("-") ? hash.toString("hex") : null;
}

/** URLs resolve the segments `.` and `..`, which would address another object or bucket; names are not empty. */
function isAddressable(key: string): boolean {
  return key
    .replace(/\/$/, "")
    .split("/")
    .every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/** Encodes as the signature does: also the characters that `encodeURIComponent` leaves. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
