import type { AnyProblemCode, ProblemDocument } from "../api/index.ts";

type ProblemFields = {
  code: AnyProblemCode;
  /** The answer's HTTP status; 0 without an answer. */
  status: number;
  detail: string;
  next?: string;
  params?: Readonly<Record<string, unknown>>;
  retryAfter?: number | null;
  requestId?: string | null;
};

/** Any failure of a call: a refusal, an error of the server, or no answer at all (UNAVAILABLE, status 0). */
export class PawlProblem extends Error {
  override readonly name = "PawlProblem";
  /** Stable code for programs. */
  readonly code: AnyProblemCode;
  /** The answer's HTTP status; 0 without an answer. */
  readonly status: number;
  readonly detail: string;
  /** Suggested next step. */
  readonly next: string;
  /** Further fields of a refusal: `row_version`, `errors` … */
  readonly params: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | null;
  /** The id of the request in the server's log. */
  readonly requestId: string | null;

  constructor(fields: ProblemFields, options?: ErrorOptions) {
    super(fields.detail, options);
    this.code = fields.code;
    this.status = fields.status;
    this.detail = fields.detail;
    this.next = fields.next ?? "";
    this.params = fields.params ?? {};
    this.retryAfter = fields.retryAfter ?? null;
    this.requestId = fields.requestId ?? null;
  }
}

/** No answer, or only a part of one: the server may have carried out the request. */
export function noAnswer(target: string, error: unknown): PawlProblem {
  return new PawlProblem(
    {
      code: "UNAVAILABLE",
      status: 0,
      detail: `No answer from ${target}: ${reasonOf(error)}.`,
      next: "Check that the server is running and reachable.",
    },
    { cause: error },
  );
}

/** Turns an answer with an error status into a problem. */
export function problemOfAnswer(target: string, { status, headers }: Response, text: string): PawlProblem {
  const retryAfter = secondsOf(headers.get("retry-after"));
  const requestId = headers.get("x-request-id");
  const document = documentIn(text);
  if (document) return problemOfDocument(document, { status, retryAfter, requestId });
  // A proxy that cannot reach the server answers without a problem document.
  if (status === 502 || status === 503 || status === 504)
    return new PawlProblem({
      code: "UNAVAILABLE",
      status,
      detail: `${target} answered ${status}.`,
      retryAfter,
      requestId,
    });
  return unexpectedAnswer(target, `answered ${status} without a problem document`, status);
}

/** Turns a problem document, which may be one item of a list of answers, into a problem. */
export function problemOfDocument(
  document: ProblemDocument,
  {
    cause,
    ...more
  }: { status?: number; retryAfter?: number | null; requestId?: string | null; cause?: unknown } = {},
): PawlProblem {
  const { type: _, title: __, instance: ___, status, detail, code, next, ...params } = document;
  const options = cause === undefined ? undefined : { cause };
  return new PawlProblem({ code, status, detail, next, params, ...more }, options);
}

/** An answer that Pawl does not give: another server, or another version, is at this URL. */
export function unexpectedAnswer(target: string, what: string, status: number): PawlProblem {
  return new PawlProblem({
    code: "UNEXPECTED_ANSWER",
    status,
    detail: `${target} ${what}. A Pawl server does not answer this way.`,
    next: "Check that the URL is that of a Pawl server with a compatible version.",
  });
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "UNAVAILABLE";
}

/** Parses a `Retry-After` header, which contains seconds or a date. */
export function secondsOf(retryAfter: string | null, now: number = Date.now()): number | null {
  if (retryAfter === null || retryAfter.trim() === "") return null;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}

function documentIn(text: string): ProblemDocument | null {
  try {
    const document = JSON.parse(text) as Partial<ProblemDocument> | null;
    return typeof document?.code === "string" && typeof document.detail === "string"
      ? (document as ProblemDocument)
      : null;
  } catch {
    return null;
  }
}

/** Adds the cause to the message: `fetch failed` alone explains nothing. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return [message, cause?.code ?? cause?.message].filter(Boolean).join(", ") || String(error);
}
