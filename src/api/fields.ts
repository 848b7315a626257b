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
  return z.string().max(max, { abort: true }).refine(isStorable, "must not hold NUL or lone surrogates");
}

export const text = textUpTo(MAX_TEXT_LENGTH);

/** Text that is truncated later, so it may be long. */
export const longText = textUpTo(MAX_FREE_TEXT_LENGTH);

/** An id, a status, an action or a token: text that is compared or looked up. */
export const name = textUpTo(MAX_NAME_LENGTH);

/** Something to be said. */
export const words = text.trim().min(1);

/** An id that people choose: of a project or a member. Control characters would only be a trap. */
export const chosenId = words
  .max(200)
  .refine((id) => !/\p{Cc}/u.test(id), "must not hold control characters")
  .refine((id) => id !== "me", '"me" is whoever asks');

/** ISO 8601 in UTC, as `2026-01-05T12:00:00.000Z`. The engine counts in milliseconds. */
export const moment = z.iso.datetime();

/** A moment that a caller gives, in any time zone. */
export const givenMoment = z.iso.datetime({ offset: true });

export function onWire(instant: number): string {
  if (instant !== latest.instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}

/** A move stamps several fields with one moment, so the text is often the one that was made just before. */
let latest = { instant: NaN, text: "" };

export function onWireOrNull(instant: number | null): string | null {
  return instant === null ? null : onWire(instant);
}

export const anyObject = z.record(z.string(), z.unknown());

/** An object that is kept as it was given. */
export const keptObject = anyObject.superRefine((given, context) => {
  const wrong = findUnstorable(given);
  if (wrong) context.addIssue({ code: "custom", path: wrong.path.split("."), message: wrong.message });
});

export const clientEventId = text.min(1).max(500);

/** What every idempotent request may carry. */
export const once = {
  client_event_id: clientEventId
    .nullish()
    .describe("The same one again gets the first answer again. Also taken as `Idempotency-Key`."),
};

/** What every request may carry that is refused if the task has changed. */
export const version = {
  expected_row_version: z
    .int()
    .nullish()
    .describe("refused if the task has changed since. Also taken as `If-Match`."),
};

/** The body of every move. */
export const transition = {
  action: name,
  comment: text.nullish(),
  payload: anyObject.nullish().describe("the action's own input"),
  ...version,
  lease_token: name.nullish().describe("of the claim, where the action is for the lease's worker"),
  ...once,
};

/** An id in a request. */
export const id = words.max(200);

/** The project of a request that is for one. */
export const place = id.nullish().describe("`main` unless given");

/** What every list is asked with. */
export const page = {
  cursor: text.min(1).max(500).optional().describe("`cursor` of the page before"),
  limit: z.int().min(1).max(200).default(50),
};

/** null: there is no next page. */
export const nextCursor = z.string().nullable();
