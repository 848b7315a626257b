/** What a problem code means at every edge: its HTTP status, its title, and what the caller can do next. */
export type Problem = { status: number; title: string; next: string };

/** The one table of problems: HTTP, the command line, MCP and the reference page all read it. */
export const PROBLEMS = {
  // Who are you, and may you?
  INVALID_TOKEN: problem(401, "The token is missing or unknown", "Send `Authorization: Bearer <token>`."),
  MEMBER_INACTIVE: problem(401, "This member is switched off", "Ask an admin to make the member active."),
  FORBIDDEN: problem(403, "Not yours to do", "Ask somebody who may, or use a token of a member who may."),
  TOKEN_CONFINED: problem(
    403,
    "This token is for something else",
    "Use it for what it was made for, or use a token of your own.",
  ),
  CROSS_SITE_REQUEST: problem(
    403,
    "This did not come from a page of this server",
    "Send the session's csrf_token as `X-CSRF-Token`, or a token of your own as `Authorization`.",
  ),
  ORIGIN_NOT_ALLOWED: problem(
    403,
    "Web pages of this origin may not call this server",
    "Add the origin to PAWL_CORS_ORIGINS, or call from a program that sends no `Origin`.",
  ),
  HOST_NOT_ALLOWED: problem(
    403,
    "This host name is not allowed",
    "Add the host name to PAWL_ALLOWED_HOSTS, or call the server by its IP address.",
  ),

  // Not there, or not visible.
  TASK_NOT_FOUND: problem(404, "No such task", "Check the id; a task outside your projects is not shown."),
  NOT_FOUND: problem(404, "No such thing", "Check the address."),
  METHOD_NOT_ALLOWED: problem(405, "Not with this method", "Use one of the methods in `Allow`."),

  // Not now: status, guard, version, idempotency.
  INVALID_TRANSITION: problem(409, "Not from this status", "Look at what the task allows now."),
  VERSION_CONFLICT: problem(409, "The task has changed meanwhile", "Read it again and decide anew."),
  IDEMPOTENCY_CONFLICT: problem(409, "This key was used for something else", "Use a new client_event_id."),
  LEASE_LOST: problem(409, "The lease is no longer yours", "Stop working on it and claim another task."),
  UNRESOLVED_BLOCKERS: problem(409, "Other tasks must be done first", "Finish what it waits for."),
  CYCLIC_DEPENDENCY: problem(409, "These tasks would wait for each other", "Remove one of the dependencies."),
  NOT_DUE: problem(409, "Its time has not come", "Nothing to do: the sweep comes again."),
  TASK_ALREADY_CLAIMED: problem(409, "Somebody else was first", "Pick another task."),
  OPEN_HOLDS: problem(409, "The task is on hold", "Release its holds first."),
  ATTEMPTS_EXHAUSTED: problem(409, "No attempts are left", "Fail the task."),
  ATTEMPTS_LEFT: problem(409, "It can be tried again", "Retry or release it."),
  NOT_RECOVERABLE: problem(409, "This error will not go away by trying again", "Fail the task."),
  NOT_YET_AVAILABLE: problem(409, "The task is waiting for its time", "Come back after available_at."),
  ALREADY_EXISTS: problem(409, "This id is taken", "Choose another id, or change the one that is there."),
  LAST_ADMIN: problem(409, "The org would have no admin", "Make somebody else an admin first."),

  // Not like this.
  VALIDATION_ERROR: problem(422, "The request has the wrong shape", "Mend the fields named in `errors`."),
  COMMENT_REQUIRED: problem(422, "A comment is required", "Say in `comment` why."),
  LEASE_TOKEN_REQUIRED: problem(422, "The lease token is required", "Send the lease_token of your claim."),
  BAD_REQUEST: problem(400, "This is no HTTP request", "Mend the client."),
  TOO_LARGE: problem(413, "The request is too large", "Send less at once."),
  UNSUPPORTED_MEDIA_TYPE: problem(415, "Only JSON is understood", "Send `Content-Type: application/json`."),
  HEADERS_TOO_LARGE: problem(431, "The headers are too large", "Send less of them."),

  // Not at this moment.
  REQUEST_TIMEOUT: problem(408, "The request came too slowly", "Send it again, faster."),
  RATE_LIMITED: problem(429, "Too many requests", "Wait as long as Retry-After says."),
  UNAVAILABLE: problem(503, "The database cannot be reached", "Try again as Retry-After says."),
  NOT_SET_UP: problem(501, "This server is not set up for it", "Tell whoever runs it what the detail says."),
  INTERNAL_ERROR: problem(500, "A fault of Pawl's own", "Report it, with the request id."),

  // Faults of a set-up, met on the command line.
  INVALID_LIFECYCLE: problem(422, "The lifecycle's definition has a mistake", "Mend the definition."),
  INVALID_CONFIG: problem(422, "The configuration has a mistake", "Mend what is named."),
  UNKNOWN_LIFECYCLE: problem(404, "No such lifecycle", "See `pawl check` for the ones there are."),
  TRANSACTION_UNUSABLE: problem(
    500,
    "Pawl cannot use this transaction",
    "Do what the message says, and let the transaction roll back.",
  ),
  DATABASE_UNUSABLE: problem(503, "The database cannot be used", "Do what the message says."),
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Codes of a user's own lifecycle are plain strings; the known ones are completed by the editor. */
export type AnyProblemCode = ProblemCode | (string & {});

/** A code that a user's lifecycle made up and did not describe is a "not now". */
export function problemOf(code: AnyProblemCode, own: Readonly<Record<string, Problem>> = {}): Problem {
  return own[code] ?? (PROBLEMS as Record<string, Problem>)[code] ?? problem(409, code, "See the detail.");
}

/** A fault: what must be said to the person at the other end, as a code, one sentence, and structured extras. */
export class PawlError extends Error {
  readonly code: AnyProblemCode;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(
    code: AnyProblemCode,
    detail: string,
    params: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.name = "PawlError";
    this.code = code;
    this.params = params;
  }
}

function problem(status: number, title: string, next: string): Problem {
  return { status, title, next };
}
