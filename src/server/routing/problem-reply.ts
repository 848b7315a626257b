import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEM_MEDIA, problemDocument } from "../../api/index.ts";
import { PawlError } from "../../core/index.ts";
import type { AnyProblemCode, JsonObject, Problem } from "../../core/index.ts";

/** The fields of a problem, which is a refusal or an error. */
export type ProblemFields = { code: AnyProblemCode; detail: string; params?: JsonObject };

export type OwnProblems = Readonly<Record<string, Problem>>;

/** Answers with a problem document and the headers that belong to its status. */
export function replyProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ProblemFields,
  own: OwnProblems,
): void {
  const document = problemDocument(problem, { own, instance: `urn:pawl:request:${request.id}` });
  if (document.status === 401) reply.header("www-authenticate", "Bearer");
  if (document.status === 503 || document.status === 429)
    reply.header("retry-after", Number(problem.params?.retry_after_seconds ?? 1));
  // A route that failed may already have set the caching headers of a file.
  reply.header("cache-control", "no-store");
  reply.code(document.status).type(PROBLEM_MEDIA).send(JSON.stringify(document));
}

/** Turns an error into the problem that the caller gets. Internal errors are not explained to callers; the log has them. */
export function problemOfError(error: unknown): ProblemFields & { fault?: true } {
  if (error instanceof PawlError)
    return SETUP_FAULTS.has(error.code)
      ? { code: "NOT_SET_UP", detail: error.message, fault: true }
      : { code: error.code, detail: error.message, params: { ...error.params } };
  const { code = "", message } = (error ?? {}) as Partial<FastifyError>;
  const known = message === "aborted" ? ABORTED : FRAMEWORK[code];
  if (known) return known;
  if (code.startsWith("FST_ERR_CTP")) return unreadableBody(message ?? "");
  return internalError();
}

/** Mistakes in the setup of the server that show only during a request. */
const SETUP_FAULTS = new Set<string>(["INVALID_LIFECYCLE", "INVALID_CONFIG"]);

const FRAMEWORK: Readonly<Record<string, ProblemFields>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "TOO_LARGE", detail: "The body is larger than this server accepts." },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "UNSUPPORTED_MEDIA_TYPE",
    detail: "The body must be JSON, sent with Content-Type: application/json.",
  },
  FST_ERR_BAD_URL: { code: "NOT_FOUND", detail: "There is no route at this address." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "NOT_FOUND", detail: "There is no route at this address." },
};

/** Only logged: the caller has disconnected. */
const ABORTED: ProblemFields = {
  code: "BAD_REQUEST",
  detail: "The connection was closed before the request was complete.",
};

function internalError(): ProblemFields & { fault: true } {
  return {
    code: "INTERNAL_ERROR",
    detail: "The server failed to handle this request.",
    fault: true,
  };
}

/** Describes a body that cannot be parsed. */
export function unreadableBody(why: string): ProblemFields {
  const detail = `The body cannot be read: ${why}`;
  return { code: "VALIDATION_ERROR", detail, params: { errors: [{ path: "", message: why }] } };
}
