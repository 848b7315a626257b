import { GrammyError, HttpError } from "grammy";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../bot/texts.ts";
import { DeliveryFault, faultOf, classify, TAXONOMY } from "./faults.ts";
import type { Symptom } from "./faults.ts";

const [S, T] = ["storage", "telegram"] as const;

/** A symptom, its code, and whether it is retryable; at least one case for each row of the table. */
const CASES: [Symptom, string, boolean][] = [
  [{ side: S, network: "timeout" }, "NETWORK_TIMEOUT", true],
  [{ side: T, network: "timeout" }, "NETWORK_TIMEOUT", true],
  [{ side: S, network: "reset" }, "NETWORK_RESET", true],
  [{ side: T, network: "reset" }, "NETWORK_RESET", true],
  [{ side: S, status: 429 }, "RATE_LIMITED", true],
  [{ side: T, status: 429 }, "RATE_LIMITED", true],
  [{ side: S, description: "corrupted" }, "CORRUPTED", true],
  [{ side: S, status: 402 }, "QUOTA_EXCEEDED", true],
  [{ side: S, status: 509 }, "QUOTA_EXCEEDED", true],
  [{ side: S, status: 403, description: "DiskResourceDownloadLimitExceededError" }, "QUOTA_EXCEEDED", true],
  [{ side: S, status: 403, description: "download_cap_exceeded" }, "QUOTA_EXCEEDED", true],
  [{ side: S, status: 500 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 503 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 423 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 401 }, "SOURCE_TOKEN_INVALID", false],
  [{ side: S, status: 403 }, "ACCESS_DENIED", false],
  [{ side: S, status: 404 }, "FILE_NOT_FOUND", false],
  [{ side: T, status: 413 }, "FILE_TOO_LARGE", false],
  [{ side: T, status: 400, description: "Bad Request: file is too big" }, "FILE_TOO_LARGE", false],
  [{ side: T, description: "too large" }, "FILE_TOO_LARGE", false],
  [{ side: T, status: 400, description: "Bad Request: file must be non-empty" }, "FILE_EMPTY", false],
  [{ side: T, status: 401 }, "BOT_TOKEN_INVALID", false],
  [{ side: T, status: 404 }, "BOT_TOKEN_INVALID", false],
  [
    { side: T, status: 403, description: "Forbidden: bot was blocked by the user" },
    "USER_BLOCKED_BOT",
    false,
  ],
  [{ side: T, status: 400, description: "Bad Request: chat not found" }, "USER_BLOCKED_BOT", false],
  [{ side: T, status: 500 }, "TELEGRAM_UNAVAILABLE", true],
  [{ side: T, status: 502 }, "TELEGRAM_UNAVAILABLE", true],
  [{ side: S, status: 418 }, "UNKNOWN", true],
  [{ side: T, status: 400, description: "Bad Request: something new" }, "UNKNOWN", true],
  [{ side: S }, "UNKNOWN", true],
];

describe("the error taxonomy", () => {
  test.each(CASES)("%o is %s", (symptom, code, retryable) => {
    expect(classify(symptom)).toMatchObject({ code, retryable });
  });

  test("has a case for every row", () => {
    const shown = new Set(CASES.map(([symptom]) => classify(symptom)));
    expect(TAXONOMY.filter((row) => !shown.has(row))).toEqual([]);
  });

  test("has a text for every code in every language", () => {
    for (const { reasons } of Object.values(LANGUAGES))
      for (const { code } of TAXONOMY) expect(reasons).toHaveProperty(code);
  });
});

const fetchFailed = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) });
const overGrammy = (cause: object) =>
  new HttpError(
    "Network request for 'sendDocument' failed!",
    Object.assign(new Error("request to http://h/bot123456:abcdefghijklmnopqrstuvwxyz failed"), cause),
  );

describe("an error of a library", () => {
  test.each<[string, unknown, "storage" | "telegram", string]>([
    ["fetch, cut off", fetchFailed("ECONNRESET"), S, "NETWORK_RESET"],
    ["fetch, refused", fetchFailed("ECONNREFUSED"), S, "NETWORK_RESET"],
    ["fetch, timed out", fetchFailed("UND_ERR_BODY_TIMEOUT"), S, "NETWORK_TIMEOUT"],
    ["a missing file", Object.assign(new Error("x"), { code: "ENOENT" }), S, "FILE_NOT_FOUND"],
    ["a file without read permission", Object.assign(new Error("x"), { code: "EACCES" }), S, "ACCESS_DENIED"],
    ["grammy, cut off", overGrammy({ code: "ECONNRESET", type: "system" }), T, "NETWORK_RESET"],
    ["grammy, an HTML page as response", overGrammy({ type: "invalid-json" }), T, "TELEGRAM_UNAVAILABLE"],
    ["grammy, something else", overGrammy({}), T, "UNKNOWN"],
    [
      "a storage fault while grammy sends",
      overGrammyWith(new DeliveryFault({ side: S, status: 404 })),
      T,
      "FILE_NOT_FOUND",
    ],
    ["not an Error", "a text", T, "UNKNOWN"],
  ])("%s is classified", (_, error, side, code) => {
    expect(faultOf(error, side).code).toBe(code);
  });

  test("keeps Telegram's retry_after, and no secret", () => {
    const error = new GrammyError(
      "Call to 'sendDocument' failed!",
      { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 7 } },
      "sendDocument",
      {},
    );
    expect(faultOf(error, T)).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 7 });
    expect(faultOf(overGrammy({}), T).message).not.toContain("123456");
  });
});

function overGrammyWith(error: Error): HttpError {
  return new HttpError("Network request for 'sendDocument' failed!", error);
}
