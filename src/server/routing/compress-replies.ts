import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Shorter answers fit into one network packet anyway. */
const MIN_LENGTH = 1_400;

/** In order of preference, at the fastest levels: higher ones cost several times as much and save a few percent. */
const ENCODERS = {
  br: (body: string | Buffer) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (body: string | Buffer) => gzipSync(body, { level: 1 }),
};
type Encoding = keyof typeof ENCODERS;
// Includes identity for clients that prefer it.
const ENCODINGS = [...(Object.keys(ENCODERS) as Encoding[]), "identity" as const];

/**
 * Compresses answers for clients that accept it. Streams are not compressed: events must not wait in a buffer, and the files of the
 * console have compressed copies. Synchronous, because handing a few kilobytes to the thread pool costs more than
 * compressing it.
 */
export function compressReplies(app: FastifyInstance): void {
  /** Cache for bodies that are sent repeatedly, such as the OpenAPI document; those are buffers. */
  const compressed = new WeakMap<Buffer, Partial<Record<Encoding, Buffer>>>();

  const compress = (body: string | Buffer, encoding: Encoding): Buffer => {
    if (typeof body === "string") return ENCODERS[encoding](body);
    const kept = compressed.get(body) ?? {};
    compressed.set(body, kept);
    return (kept[encoding] ??= ENCODERS[encoding](body));
  };

  app.addHook("onSend", ({ headers }, reply, body, done) => {
    if (!isLong(body)) {
      done(null, body);
      return;
    }
    varyByEncoding(reply);
    const encoding = negotiate(headers["accept-encoding"]?.toLowerCase() ?? "", ENCODINGS) ?? "identity";
    if (encoding === "identity") {
      done(null, body);
      return;
    }
    reply.header("content-encoding", encoding);
    weakenETag(reply);
    done(null, compress(body, encoding));
  });
}

function isLong(body: unknown): body is string | Buffer {
  return (typeof body === "string" || Buffer.isBuffer(body)) && body.length >= MIN_LENGTH;
}

/** Adds `accept-encoding` to the `Vary` header, so that caches store one answer per encoding. */
export function varyByEncoding(reply: FastifyReply): FastifyReply {
  const others = reply.getHeader("vary");
  return reply.header(
    "vary",
    others === undefined ? "accept-encoding" : `${String(others)}, accept-encoding`,
  );
}

/** Makes the ETag weak, because a strong one promises the same bytes. `If-Match` accepts both forms of a task's ETag. */
function weakenETag(reply: FastifyReply): void {
  const etag = reply.getHeader("etag");
  if (typeof etag === "string" && !etag.startsWith("W/")) reply.header("etag", `W/${etag}`);
}
