import type { AnyProblemCode, ProblemDocument } from "../api/index.ts";

type Told = {
  code: AnyProblemCode;
  /** Of the answer; 0 where there was none. */
  status: number;
  detail: string;
  next?: string;
  params?: Readonly<Record<string, unknown>>;
  retryAfter?: number | null;
  requestId?: string | null;
};

/** All that goes wrong with a call: a refusal, a fault of the server's, or no answer at all (UNAVAILABLE, status 0). */
export class PawlProblem extends Error {
  override readonly name = "PawlProblem";
  /** Stable; what programs look at. */
  readonly code: AnyProblemCode;
  /** The answer's HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly detail: string;
  /** What can be done about it. */
  readonly next: string;
  /** What a refusal says beyond its code: `row_version`, `errors` … */
  readonly params: Readonly<Record<string, unknown>>;
  /** In how many seconds it is worth trying again. */
  readonly retryAfter: number | null;
  /** What the server's log calls the request. */
  readonly requestId: string | null;

  constructor(told: Told, options?: ErrorOptions) {
    super(told.detail, options);
    this.code = told.code;
    this.status = told.status;
    this.detail = told.detail;
    this.next = told.next ?? "";
    this.params = told.params ?? {};
    this.retryAfter = told.retryAfter ?? null;
    this.requestId = told.requestId ?? null;
  }
}

/** There was no answer, or only a part of one: what was asked for may have been done. */
export function unanswered(place: string, error: unknown): PawlProblem {
  return new PawlProblem(
    {
      code: "UNAVAILABLE",
      status: 0,
      detail: `No answer from ${place}: ${reasonOf(error)}.`,
      next: "See that the server runs and can be reached.",
    },
    { cause: error },
  );
}

/** An answer that says no. */
export function problemOfAnswer(place: string, { status, headers }: Response, text: string): PawlProblem {
  const retryAfter = secondsOf(headers.get("retry-after"));
  const requestId = headers.get("x-request-id");
  const document = documentIn(text);
  if (document) return problemOfDocument(document, { status, retryAfter, requestId });
  // What stands between us and the server says in its own words that it did not reach it.
  const passing = status === 502 || status === 503 || status === 504;
  if (passing)
    return new PawlProblem({
      code: "UNAVAILABLE",
      status,
      detail: `${place} answers ${status}.`,
      retryAfter,
      requestId,
    });
  return unexpected(place, `answers ${status} without saying why`, status);
}

/** A problem that stands in an answer to many, or is one. */
export function problemOfDocument(
  document: ProblemDocument,
  more: { status?: number; retryAfter?: number | null; requestId?: string | null } = {},
): PawlProblem {
  const { type: _, title: __, instance: ___, status, detail, code, next, ...params } = document;
  return new PawlProblem({ code, status, detail, next, params, ...more });
}

/** What answers there is not Pawl, or not one that we understand. */
export function unexpected(place: string, what: string, status: number): PawlProblem {
  return new PawlProblem({
    code: "UNEXPECTED_ANSWER",
    status,
    detail: `${place} ${what}: this is no answer of Pawl's.`,
    next: "See that the url is that of a Pawl server, and of a version that fits.",
  });
}

/** Whether the same may go well a moment later. */
export function isPassing(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "UNAVAILABLE";
}

/** Seconds, or a date. */
export function secondsOf(retryAfter: string | null, now: number = Date.now()): number | null {
  if (retryAfter === null || retryAfter.trim() === "") return null;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}

function documentIn(text: string): ProblemDocument | null {
  try {
    const said = JSON.parse(text) as Partial<ProblemDocument> | null;
    return typeof said?.code === "string" && typeof said.detail === "string"
      ? (said as ProblemDocument)
      : null;
  } catch {
    return null;
  }
}

/** `fetch failed` says nothing; what it was caused by does, where that is told. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return [message, cause?.code ?? cause?.message].filter(Boolean).join(", ") || String(error);
}
