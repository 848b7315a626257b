import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyInstance, FastifyReply } from "fastify";

/** An answer that fits into one network packet arrives no sooner for being smaller. */
const MIN_LENGTH = 1_400;

/** In order of preference. The fastest levels: higher ones cost several times as much and save a few percent. */
const ENCODERS = {
  br: (body: string | Buffer) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (body: string | Buffer) => gzipSync(body, { level: 1 }),
};
type Encoding = keyof typeof ENCODERS;
// With identity among them, a client that prefers it gets it.
const ENCODINGS = [...(Object.keys(ENCODERS) as Encoding[]), "identity" as const];

/**
 * Compresses answers for clients that accept it. Streams are left alone: events must not wait in a buffer, and the files of the
 * console have compressed copies. Synchronous, since handing a body of some kilobytes to the thread pool costs more than
 * compressing it.
 */
export function compressAnswers(app: FastifyInstance): void {
  /** Bodies that are sent again and again, such as the OpenAPI document, are buffers, and compressed once. */
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

/** Tells caches to keep one answer per encoding, besides what the answer varies by already, such as the origin. */
export function varyByEncoding(reply: FastifyReply): FastifyReply {
  const others = reply.getHeader("vary");
  return reply.header(
    "vary",
    others === undefined ? "accept-encoding" : `${String(others)}, accept-encoding`,
  );
}

/** A strong ETag promises the same bytes. `If-Match` accepts either form of a task's ETag. */
function weakenETag(reply: FastifyReply): void {
  const etag = reply.getHeader("etag");
  if (typeof etag === "string" && !etag.startsWith("W/")) reply.header("etag", `W/${etag}`);
}
