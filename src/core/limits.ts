/** For ids, names and tokens: text that is compared, looked up, or shown in one line. */
export const MAX_NAME_LENGTH = 200;

/** For comments, descriptions and reasons. */
export const MAX_TEXT_LENGTH = 100_000;

/** For text in JSON that has no schema. */
export const MAX_FREE_TEXT_LENGTH = 1_000_000;

/** For lists of references, such as `blocked_by`. */
export const MAX_LIST_LENGTH = 1_000;

/** Maximum nesting of lists and objects in JSON from a caller; recursive code relies on this limit. */
export const MAX_JSON_DEPTH = 100;

export const TOO_DEEP = `nested more than ${MAX_JSON_DEPTH} deep`;
