import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import type { ActionSpec, Command, Lifecycle } from "./lifecycle.ts";
import { didYouMean } from "./nearest.ts";
import { shorten } from "./truncate-text.ts";
import { MAX_NAME_LENGTH, MAX_TEXT_LENGTH } from "./limits.ts";
import { invalid, isStorable, parseFields } from "./parse-fields.ts";
import { permissionOf, permissionRefusal } from "./permissions.ts";
import type { Actor } from "./task.ts";

/** A command as the caller sent it, not yet validated. */
export type Request = {
  action: string;
  payload?: unknown;
  comment?: string | null;
  client_event_id?: string | null;
  expected_row_version?: number | null;
  lease_token?: string | null;
};

export type ValidCommand = { kind: "admitted"; command: Command };

/** Validates a command without its task: the action exists, the role has the permission, the input matches its schema. */
export function validateCommand(
  lifecycle: Lifecycle,
  actor: Actor,
  request: Request,
): ValidCommand | Refusal {
  const spec = lifecycle.actions[request.action];
  if (!spec || !Object.hasOwn(lifecycle.actions, request.action))
    return unknownAction(lifecycle, request.action);
  const forbidden = permissionRefusal(lifecycle, actor, permissionOf(lifecycle, request.action));
  if (forbidden) return forbidden;

  const malformed = malformedField(request);
  if (malformed) return malformed;
  const comment = request.comment?.trim() ?? "";
  const missing = missingField(lifecycle, spec, actor, request, comment);
  if (missing) return missing;
  const input = parseFields(spec.input, request.payload ?? {}, spec.required);
  if (input.kind === "refused") return input;

  return {
    kind: "admitted",
    command: {
      action: request.action,
      input: input.fields,
      comment: comment === "" ? null : comment,
      expected_row_version: request.expected_row_version ?? null,
      lease_token: request.lease_token ?? null,
    },
  };
}

const MAX_LENGTHS = { comment: MAX_TEXT_LENGTH, client_event_id: 500, lease_token: MAX_NAME_LENGTH };

/** Checks the fields other than the payload at run time: a request from the network may not match its TypeScript type. */
function malformedField(request: Request): Refusal | null {
  for (const field of ["comment", "client_event_id", "lease_token"] as const) {
    const value: unknown = request[field];
    if (value == null) continue;
    if (typeof value !== "string") return invalid([{ path: field, message: "must be a string" }]);
    if (field === "client_event_id" && (value === "" || value.length > 500))
      return invalid([{ path: field, message: "must be a string of 1 to 500 characters" }]);
    if (value.length > MAX_LENGTHS[field])
      return invalid([{ path: field, message: `must have at most ${MAX_LENGTHS[field]} characters` }]);
    if (!isStorable(value))
      return invalid([{ path: field, message: "text must not hold NUL or lone surrogates" }]);
  }
  const version: unknown = request.expected_row_version;
  if (version == null || Number.isSafeInteger(version)) return null;
  return invalid([{ path: "expected_row_version", message: "must be a whole number" }]);
}

function unknownAction(lifecycle: Lifecycle, action: string): Refusal {
  const foreign = lifecycle.redirected_actions.find(({ prefix }) => action.startsWith(prefix));
  const shown = shorten(action, MAX_NAME_LENGTH);
  if (foreign) return refuse(foreign.code, foreign.detail, { action: shown });
  const known = Object.keys(lifecycle.actions);
  return refuse("VALIDATION_ERROR", `There is no action "${shown}"${didYouMean(action, known) || "."}`, {
    errors: [{ path: "action", message: `one of ${known.join(", ")}` }],
  });
}

/** Refuses a command that lacks a required field. The system may omit all of them. */
function missingField(
  lifecycle: Lifecycle,
  spec: ActionSpec,
  actor: Actor,
  request: Request,
  comment: string,
): Refusal | null {
  if (actor.id === null) return null;
  for (const field of ["expected_row_version", "client_event_id"] as const) {
    if (spec[field] === "required" && (request[field] ?? null) === null) {
      return refuse("VALIDATION_ERROR", `"${request.action}" needs ${field}.`, {
        errors: [{ path: field, message: "required" }],
      });
    }
  }
  if (spec.comment === "required" && comment === "") {
    return refuse("COMMENT_REQUIRED", `"${request.action}" needs a comment that gives the reason.`);
  }
  if (lifecycle.lease_only_actions.has(request.action) && (request.lease_token ?? null) === null) {
    return refuse(
      "LEASE_TOKEN_REQUIRED",
      `"${request.action}" needs the lease_token that the claim gave you.`,
    );
  }
  return null;
}
