/** The HTTP status of a problem code, its title, and what the caller can do next. */
export type Problem = { status: number; title: string; next: string };

/** All problems of Pawl itself, read by HTTP, the command line, MCP and the reference page. */
export const PROBLEMS = {
  // Authentication and permissions.
  INVALID_TOKEN: problem(401, "The token is missing or unknown", "Send `Authorization: Bearer <token>`."),
  LINK_INVALID: problem(
    410,
    "This sign-in link is not valid",
    "Ask an admin for a new link, or print one with `pawl login-link`.",
  ),
  MEMBER_INACTIVE: problem(401, "This member is inactive", "Ask an admin to activate the member."),
  FORBIDDEN: problem(
    403,
    "You may not do this",
    "Ask a member who has the permission, or use a token that has it.",
  ),
  TOKEN_CONFINED: problem(
    403,
    "This token is not valid for this request",
    "Use this token only for its purpose, or use a token of your own.",
  ),
  CROSS_SITE_REQUEST: problem(
    403,
    "The request did not come from a page of this server",
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

  // Not found, or not visible to the caller.
  TASK_NOT_FOUND: problem(404, "Task not found", "Check the id. Tasks outside your projects are not shown."),
  NOT_FOUND: problem(404, "Not found", "Check the address."),
  METHOD_NOT_ALLOWED: problem(405, "Method not allowed", "Use one of the methods in `Allow`."),

  // Conflicts with the current state: status, guards, version, idempotency.
  INVALID_TRANSITION: problem(409, "Not possible in this status", "See which actions the task allows now."),
  VERSION_CONFLICT: problem(409, "The task has changed in the meantime", "Read it again and decide again."),
  IDEMPOTENCY_CONFLICT: problem(409, "This key was used for another request", "Use a new client_event_id."),
  LEASE_LOST: problem(409, "The lease is no longer yours", "Stop working on it and claim another task."),
  UNRESOLVED_BLOCKERS: problem(409, "Other tasks must be done first", "Finish the tasks it waits for."),
  CYCLIC_DEPENDENCY: problem(409, "These tasks would wait for each other", "Remove one of the dependencies."),
  NOT_DUE: problem(409, "The timer is not due yet", "Nothing to do: the sweep tries again."),
  TASK_ALREADY_CLAIMED: problem(409, "Another caller claimed it first", "Pick another task."),
  OPEN_HOLDS: problem(409, "The task is on hold", "Release its holds first."),
  ATTEMPTS_EXHAUSTED: problem(409, "No attempts are left", "Fail the task."),
  ATTEMPTS_LEFT: problem(409, "The task has attempts left", "Retry or release it."),
  NOT_RECOVERABLE: problem(409, "Retrying cannot fix this error", "Fail the task."),
  NOT_YET_AVAILABLE: problem(409, "The task is not available yet", "Try again after available_at."),
  ALREADY_EXISTS: problem(409, "This id is taken", "Choose another id, or change the existing one."),
  LAST_ADMIN: problem(409, "The org would have no admin left", "Make another member an admin first."),
  TOKEN_NOT_ROTATED: problem(409, "This token cannot be rotated", "Create a new token instead."),

  // Invalid requests.
  VALIDATION_ERROR: problem(422, "The request is invalid", "Fix the fields named in `errors`."),
  COMMENT_REQUIRED: problem(422, "A comment is required", "Give the reason in `comment`."),
  INVALID_DATA: problem(
    422,
    "The lifecycle would store invalid data",
    "Report it to the author of the lifecycle: the detail names the field. `pawl check` finds such mistakes.",
  ),
  LEASE_TOKEN_REQUIRED: problem(422, "The lease token is required", "Send the lease_token of your claim."),
  BAD_REQUEST: problem(400, "Malformed HTTP request", "Fix the client."),
  TOO_LARGE: problem(413, "The request is too large", "Send less in one request."),
  UNSUPPORTED_MEDIA_TYPE: problem(415, "Only JSON is accepted", "Send `Content-Type: application/json`."),
  HEADERS_TOO_LARGE: problem(431, "The headers are too large", "Send fewer or shorter headers."),

  // Limits and faults of the server.
  REQUEST_TIMEOUT: problem(408, "The request took too long to arrive", "Send it again."),
  RATE_LIMITED: problem(429, "Too many requests", "Wait for the number of seconds in `Retry-After`."),
  UNAVAILABLE: problem(
    503,
    "The database cannot be reached",
    "Try again after the number of seconds in `Retry-After`.",
  ),
  NOT_SET_UP: problem(
    501,
    "The server is not set up for this",
    "Ask the operator of the server to set it up as the detail describes.",
  ),
  INTERNAL_ERROR: problem(
    500,
    "Internal error",
    "Report it with the request id; the server log has the details.",
  ),

  // Mistakes in definitions and configuration, mostly seen on the command line.
  INVALID_LIFECYCLE: problem(422, "The lifecycle's definition has a mistake", "Fix the definition."),
  INVALID_CONFIG: problem(422, "The configuration has a mistake", "Correct it as the message describes."),
  UNKNOWN_LIFECYCLE: problem(404, "Unknown lifecycle", "List the existing ones with `pawl check`."),
  TRANSACTION_UNUSABLE: problem(
    500,
    "Pawl cannot use this transaction",
    "Correct the call as the message describes, and let the transaction roll back.",
  ),
  DATABASE_UNUSABLE: problem(
    503,
    "The database cannot be used",
    "Fix the database as the message describes.",
  ),
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A known code, which editors complete, or any code of a user's lifecycle. */
export type AnyProblemCode = ProblemCode | (string & {});

/** Returns the problem of a code; one that a user's lifecycle does not describe is a 409. */
export function problemOf(code: AnyProblemCode, own: Readonly<Record<string, Problem>> = {}): Problem {
  return own[code] ?? (PROBLEMS as Record<string, Problem>)[code] ?? problem(409, code, "See the detail.");
}

/** An error for the caller, with a code, one sentence and structured parameters. */
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
