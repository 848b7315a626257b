import { z } from "zod";
import {
  findUnstorable,
  isStorable,
  MAX_FREE_TEXT_LENGTH,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
} from "../core/index.ts";

/** Text that the database can store. Text that is too long is refused before any other check reads it. */
function textUpTo(max: number) {
  return z.string().max(max, { abort: true }).refine(isStorable, "must not contain NUL or lone surrogates");
}

export const text = textUpTo(MAX_TEXT_LENGTH);

/** Text that is truncated later, so it may be long. */
export const longText = textUpTo(MAX_FREE_TEXT_LENGTH);

/** An id, a status, an action or a token: text that is compared or looked up. */
export const name = textUpTo(MAX_NAME_LENGTH);

/** Text with at least one character other than whitespace. */
export const nonEmptyText = text.trim().min(1);

/** An id that a person chooses, of a project or a member. Control characters are refused: they are invisible. */
export const chosenId = nonEmptyText
  .max(200)
  .refine((id) => !/\p{Cc}/u.test(id), "must not contain control characters")
  .refine((id) => id !== "me", 'must not be "me", which means the caller');

/** ISO 8601 in UTC, as `2026-01-05T12:00:00.000Z`. The engine counts in milliseconds. */
export const moment = z.iso.datetime();

/** A moment in a request, in any time zone. */
export const givenMoment = z.iso.datetime({ offset: true });

export function onWire(instant: number): string {
  const slot = instant & (RECENT_TEXTS - 1);
  const known = recent[slot];
  if (known?.instant === instant) return known.text;
  const text = new Date(instant).toISOString();
  recent[slot] = { instant, text };
  return text;
}

/** Cache of recent conversions: tasks that were moved or created together share their moments. A power of two. */
const RECENT_TEXTS = 64;
const recent: ({ instant: number; text: string } | undefined)[] = [];

export function onWireOrNull(instant: number | null): string | null {
  return instant === null ? null : onWire(instant);
}

export const anyObject = z.record(z.string(), z.unknown());

/** An object that is stored as sent. */
export const keptObject = anyObject.superRefine((given, context) => {
  const wrong = findUnstorable(given);
  if (wrong) context.addIssue({ code: "custom", path: wrong.path.split("."), message: wrong.message });
});

export const clientEventId = text.min(1).max(500);

/** The idempotency key, in every idempotent request. */
export const once = {
  client_event_id: clientEventId
    .nullish()
    .describe(
      "idempotency key: a repeated request with the same key gets the first answer. Also accepted as `Idempotency-Key`.",
    ),
};

/** The version of the task that the caller has seen. */
export const version = {
  expected_row_version: z
    .int()
    .nullish()
    .describe(
      "the version you have read: the request is refused if the task has changed since. Also accepted as `If-Match`.",
    ),
};

/** The body of every move. */
export const transition = {
  action: name,
  comment: text.nullish(),
  payload: anyObject.nullish().describe("input of the action"),
  ...version,
  lease_token: name
    .nullish()
    .describe("the token from the claim, for actions that only the holder of the lease may perform"),
  ...once,
};

/** An id in a request. */
export const id = nonEmptyText.max(200);

/** The project that a request is about. */
export const projectId = id.nullish().describe("default `main`");

/** The query parameters of every list. */
export const page = {
  cursor: text.min(1).max(500).optional().describe("`cursor` of the previous page"),
  limit: z.int().min(1).max(200).default(50),
};

/** null on the last page. */
export const nextCursor = z.string().nullable();

/** Selects tasks of a pool by the field that its lifecycle declares. */
export const poolFields = z
  .record(name, z.array(text).min(1).max(100))
  .optional()
  .describe("only tasks whose field has one of these values, or none; the lifecycle declares the field");
