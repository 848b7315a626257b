/** Ids, names, tokens: whatever is compared, looked up, or shown in a line. */
export const MAX_NAME_LENGTH = 200;

/** Comments, descriptions, reasons: whatever people read. */
export const MAX_TEXT_LENGTH = 100_000;

/** A text in JSON that no schema describes. */
export const MAX_FREE_TEXT_LENGTH = 1_000_000;

/** Items of a list that refers to other things, as `blocked_by`. */
export const MAX_LIST_LENGTH = 1_000;

/** Levels of lists and objects in anything a caller sends; code that recurses over it relies on this. */
export const MAX_JSON_DEPTH = 100;
