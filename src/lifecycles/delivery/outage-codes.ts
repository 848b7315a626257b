import { SOURCE_TOKEN_INVALID } from "./lifecycle.ts";

export const SIDES = ["storage", "telegram"] as const;
export type Side = (typeof SIDES)[number];

export const BOT_TOKEN_INVALID = "BOT_TOKEN_INVALID";
export const QUOTA_EXCEEDED = "QUOTA_EXCEEDED";

/** Only an admin can end these outages. */
export const TOKEN_CODES: readonly string[] = [SOURCE_TOKEN_INVALID, BOT_TOKEN_INVALID];

/** Errors that prove an outage at once; the others can also concern a single request. */
export const CERTAIN_CODES: readonly string[] = [...TOKEN_CODES, QUOTA_EXCEEDED];

/** Errors that an outage causes: the storage or Telegram failed, not the file or the user. */
export const OUTAGE_CODES: readonly string[] = [
  ...CERTAIN_CODES,
  "NETWORK_TIMEOUT",
  "NETWORK_RESET",
  "RATE_LIMITED",
  "STORAGE_UNAVAILABLE",
  "TELEGRAM_UNAVAILABLE",
];
