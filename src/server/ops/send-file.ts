import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { extname, join } from "node:path";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyReply, FastifyRequest } from "fastify";
import { varyByEncoding } from "../routing/compress-replies.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};
/** Endings of compressed copies by encoding, in order of preference. */
const ENDINGS = { br: ".br", gzip: ".gz", identity: "" };
const ENCODINGS = Object.keys(ENDINGS) as (keyof typeof ENDINGS)[];

type FoundFile = { file: FileHandle; encoding: keyof typeof ENDINGS; size: number; changedAt: Date };

/**
 * Answers with a file, or with its compressed copy if the client accepts it; returns false if there is none. The caller checks the
 * name. Written here, because a package for it (@fastify/static) brings 24 others for features that the console does not use.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { root, name, headers }: { root: string; name: string; headers: Record<string, string> },
): Promise<boolean> {
  const found = await findFile(join(root, name), request.headers["accept-encoding"]);
  if (found === null) return false;
  const { file, encoding, size, changedAt } = found;
  const etag = `W/"${size.toString(16)}-${changedAt.getTime().toString(16)}"`;
  varyByEncoding(reply).headers({ ...headers, etag, "last-modified": changedAt.toUTCString() });
  if (isUnchanged(request.headers, etag, changedAt)) {
    await file.close();
    reply.code(304).send();
    return true;
  }
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  reply.type(CONTENT_TYPES[extname(name)] ?? "application/octet-stream").header("content-length", size);
  reply.send(file.createReadStream());
  return true;
}

async function findFile(path: string, accepted: string | undefined): Promise<FoundFile | null> {
  const preferred = negotiate(accepted?.toLowerCase() ?? "", ENCODINGS) ?? "identity";
  // A file without this compressed copy is sent as it is.
  return (await openVariant(path, preferred)) ?? (await openVariant(path, "identity"));
}

async function openVariant(path: string, encoding: keyof typeof ENDINGS): Promise<FoundFile | null> {
  try {
    const file = await open(path + ENDINGS[encoding]);
    const stats = await file.stat();
    if (stats.isFile()) return { file, encoding, size: stats.size, changedAt: stats.mtime };
    await file.close();
    return null;
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** Windows does not open folders. A name can be too long only with the ending of a compressed copy. */
const MISSING = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EPERM", "ENAMETOOLONG"]);

function isUnchanged(headers: FastifyRequest["headers"], etag: string, changedAt: Date): boolean {
  const { "if-none-match": tags, "if-modified-since": since } = headers;
  if (tags !== undefined) return tags === "*" || tags.split(",").some((tag) => tag.trim() === etag);
  return since !== undefined && Math.floor(changedAt.getTime() / 1_000) <= Date.parse(since) / 1_000;
}
