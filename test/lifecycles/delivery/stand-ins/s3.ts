import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256Of } from "./content.ts";
import type { Content } from "./content.ts";
import { FaultPlan } from "./fault-plan.ts";
import { closed, listening, sendContent } from "./yandex-disk.ts";

export const S3_KEYS = { accessKeyId: "the-key-id", secretAccessKey: "the/secret+key" };
export const S3_REGION = "eu-test-1";
export const BUCKET = "the-bucket";

/** The S3 API on loopback: ListObjectsV2, HEAD and GET, with signatures of version 4 that it verifies. */
export type S3StandIn = {
  url: string;
  /** The kinds of requests, in order: `list`, `head`, `bytes`. */
  requests: string[];
  faults: FaultPlan;
  put: (key: string, content: Content) => { sha256: string };
  remove: (key: string) => void;
  close: () => Promise<void>;
};

type StoredObject = { content: Content; sha256: string };

export async function openS3({ hashes = true } = {}): Promise<S3StandIn> {
  const bucket = new Bucket(hashes);
  const { server, url } = await listening((request, response) => bucket.answer(request, response));
  return {
    url,
    requests: bucket.requests,
    faults: bucket.faults,
    put: (key, content) => {
      const sha256 = sha256Of(content);
      bucket.objects.set(key, { content, sha256 });
      return { sha256 };
    },
    remove: (key) => {
      bucket.objects.delete(key);
    },
    close: () => closed(server),
  };
}

class Bucket {
  readonly requests: string[] = [];
  readonly faults = new FaultPlan();
  readonly objects = new Map<string, StoredObject>();
  private readonly hashes: boolean;

  constructor(hashes: boolean) {
    this.hashes = hashes;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? ""}`);
    const [, bucket = "", ...segments] = url.pathname.split("/").map(decodeURIComponent);
    const key = segments.join("/");
    const isList = url.searchParams.get("list-type") === "2" && key === "";
    const what = isList ? "list" : request.method === "HEAD" ? "head" : "bytes";
    this.requests.push(what);
    const invalid = signatureError(request, url);
    if (invalid !== null) return refused(response, 403, invalid);
    if (bucket !== BUCKET) return refused(response, 404, "NoSuchBucket");
    const fault = this.faults.take(what, isList ? (url.searchParams.get("prefix") ?? "") : key);
    if (fault?.kind === "status")
      return refused(response, fault.status, "Injected", fault.headers, fault.body);
    if (fault && what !== "bytes") {
      if (fault.kind !== "stall") response.destroy();
      return;
    }
    if (isList) {
      xml(response, 200, this.listing(url.searchParams));
      return;
    }
    const object = this.objects.get(key);
    if (!object) return refused(response, 404, "NoSuchKey");
    const { content } = object;
    const headers = { etag: etagOf(object), "accept-ranges": "bytes" };
    if (request.headers["if-match"] !== undefined && request.headers["if-match"] !== headers.etag)
      return refused(response, 412, "PreconditionFailed");
    if (what === "head") {
      const asksHash = this.hashes && request.headers["x-amz-checksum-mode"] === "ENABLED";
      const hash = { "x-amz-checksum-sha256": Buffer.from(object.sha256, "hex").toString("base64") };
      response
        .writeHead(200, { ...headers, ...(asksHash ? hash : {}), "content-length": content.size })
        .end();
      return;
    }
    await sendContent(content, fault, { request, response, headers });
  }

  private listing(query: URLSearchParams): string {
    const prefix = query.get("prefix") ?? "";
    const maxKeys = Math.min(1_000, Number(query.get("max-keys") ?? 1_000));
    const after = Buffer.from(query.get("continuation-token") ?? "", "base64").toString();
    const found = new Map<string, StoredObject | null>();
    for (const [key, object] of this.objects) {
      if (!key.startsWith(prefix)) continue;
      const slash = key.indexOf("/", prefix.length);
      if (slash < 0) found.set(key, object);
      else found.set(key.slice(0, slash + 1), null);
    }
    // S3 sorts by the bytes of the keys.
    const all = [...found].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const rest = all.filter(
      ([key]) => after === "" || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0,
    );
    const page = rest.slice(0, maxKeys);
    const last = page.at(-1)?.[0] ?? "";
    const next = rest.length > page.length ? Buffer.from(last).toString("base64") : null;
    const encode = (key: string) => encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/");
    const parts = page.map(([key, object]) =>
      object === null
        ? `<CommonPrefixes><Prefix>${encode(key)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${encode(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
          `<ETag>${etagOf(object).replaceAll('"', "&quot;")}</ETag><Size>${object.content.size}</Size></Contents>`,
    );
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
      `<Name>${BUCKET}</Name><Prefix>${encode(prefix)}</Prefix><KeyCount>${page.length}</KeyCount>` +
      `<MaxKeys>${maxKeys}</MaxKeys><EncodingType>url</EncodingType><IsTruncated>${next !== null}</IsTruncated>` +
      `${parts.join("")}${next === null ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}</ListBucketResult>`
    );
  }
}

/** Verifies the signature as documented by Amazon; returns the code of the error. */
function signatureError(request: IncomingMessage, url: URL): string | null {
  const header =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  const [, credential = "", signedHeaders = "", signature = ""] = header ?? [];
  const [keyId, day = "", region = "", service = ""] = credential.split("/");
  if (keyId !== S3_KEYS.accessKeyId) return "InvalidAccessKeyId";
  const date = String(request.headers["x-amz-date"]);
  if (!date.startsWith(day) || region !== S3_REGION || service !== "s3")
    return "AuthorizationHeaderMalformed";
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const path = url.pathname.split("/").map((segment) => encode(decodeURIComponent(segment)));
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const headers = signedHeaders.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const payload = String(request.headers["x-amz-content-sha256"]);
  const canonical = [
    request.method,
    path.join("/"),
    query.join("&"),
    headers.join(""),
    signedHeaders,
    payload,
  ];
  const digest = createHash("sha256").update(canonical.join("\n")).digest("hex");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, "aws4_request"].reduce(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    Buffer.from(`AWS4${S3_KEYS.secretAccessKey}`),
  );
  const text = ["AWS4-HMAC-SHA256", date, scope, digest].join("\n");
  return createHmac("sha256", key).update(text).digest("hex") === signature ? null : "SignatureDoesNotMatch";
}

function etagOf({ sha256 }: StoredObject): string {
  return `"${sha256.slice(0, 32)}"`;
}

function refused(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
  body: object = {},
): Promise<void> {
  const { code: given = code } = body as { code?: string };
  const error = `<Error><Code>${given}</Code><Message>about /secret/path</Message></Error>`;
  xml(response, status, `<?xml version="1.0" encoding="UTF-8"?>\n${error}`, headers);
  return Promise.resolve();
}

function xml(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/xml", ...headers }).end(text);
}
