import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEM_MEDIA, problemDocument } from "../../api/index.ts";
import { PawlError } from "../../core/index.ts";
import type { AnyProblemCode, JsonObject, Problem } from "../../core/index.ts";

/** Whatever is told as a problem: a refusal, or a fault. */
export type Told = { code: AnyProblemCode; detail: string; params?: JsonObject };

export type OwnProblems = Readonly<Record<string, Problem>>;

/** Answers with a problem document, and with the headers that belong to its code. */
export function replyProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  told: Told,
  own: OwnProblems,
): void {
  const document = problemDocument(told, { own, instance: `urn:pawl:request:${request.id}` });
  if (document.status === 401) reply.header("www-authenticate", "Bearer");
  if (document.status === 503 || document.status === 429)
    reply.header("retry-after", Number(told.params?.retry_after_seconds ?? 1));
  // A route that failed midway may have set the caching headers of a file already.
  reply.header("cache-control", "no-store");
  reply.code(document.status).type(PROBLEM_MEDIA).send(JSON.stringify(document));
}

/** What an error is to the one who asked. Faults that are none of his are not explained to him; the log has them. */
export function toldOf(error: unknown): Told & { fault?: true } {
  if (error instanceof PawlError)
    return SET_UP_FAULTS.has(error.code)
      ? { code: "NOT_SET_UP", detail: error.message, fault: true }
      : { code: error.code, detail: error.message, params: { ...error.params } };
  const { code = "", message } = (error ?? {}) as Partial<FastifyError>;
  const known = message === "aborted" ? GONE : FRAMEWORK[code];
  if (known) return known;
  if (code.startsWith("FST_ERR_CTP")) return unreadable(message ?? "");
  return ours();
}

/** Mistakes of whoever set Pawl up, met in the middle of a request. */
const SET_UP_FAULTS = new Set<string>(["INVALID_LIFECYCLE", "INVALID_CONFIG"]);

const FRAMEWORK: Readonly<Record<string, Told>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "TOO_LARGE", detail: "The body is larger than this server takes." },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "UNSUPPORTED_MEDIA_TYPE",
    detail: "Bodies are JSON: send Content-Type: application/json.",
  },
  FST_ERR_BAD_URL: { code: "NOT_FOUND", detail: "There is nothing at this address." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "NOT_FOUND", detail: "There is nothing at this address." },
};

/** Nobody hears this: whoever was sending has hung up. */
const GONE: Told = { code: "BAD_REQUEST", detail: "The request ended in the middle." };

function ours(): Told & { fault: true } {
  return {
    code: "INTERNAL_ERROR",
    detail: "Something went wrong here that should not; it has been written down.",
    fault: true,
  };
}

/** A body that cannot be read, and why. */
export function unreadable(why: string): Told {
  const detail = `The body cannot be read: ${why}`;
  return { code: "VALIDATION_ERROR", detail, params: { errors: [{ path: "", message: why }] } };
}
