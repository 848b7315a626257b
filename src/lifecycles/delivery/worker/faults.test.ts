import { GrammyError, HttpError } from "grammy";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../bot/texts.ts";
import { DeliveryFault, faultOf, recognise, TAXONOMY } from "./faults.ts";
import type { Symptom } from "./faults.ts";

const [S, T] = ["storage", "telegram"] as const;

/** A symptom, what it is called, and whether another try may help; at least one for each row of the table. */
const CASES: [Symptom, string, boolean][] = [
  [{ side: S, network: "timeout" }, "NETWORK_TIMEOUT", true],
  [{ side: T, network: "timeout" }, "NETWORK_TIMEOUT", true],
  [{ side: S, network: "reset" }, "NETWORK_RESET", true],
  [{ side: T, network: "reset" }, "NETWORK_RESET", true],
  [{ side: S, status: 429 }, "RATE_LIMITED", true],
  [{ side: T, status: 429 }, "RATE_LIMITED", true],
  [{ side: S, word: "corrupted" }, "CORRUPTED", true],
  [{ side: S, status: 500 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 503 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 423 }, "STORAGE_UNAVAILABLE", true],
  [{ side: S, status: 401 }, "SOURCE_TOKEN_INVALID", false],
  [{ side: S, status: 403 }, "ACCESS_DENIED", false],
  [{ side: S, status: 404 }, "FILE_NOT_FOUND", false],
  [{ side: T, status: 413 }, "FILE_TOO_LARGE", false],
  [{ side: T, status: 400, word: "Bad Request: file is too big" }, "FILE_TOO_LARGE", false],
  [{ side: T, word: "too large" }, "FILE_TOO_LARGE", false],
  [{ side: T, status: 400, word: "Bad Request: file must be non-empty" }, "FILE_EMPTY", false],
  [{ side: T, status: 401 }, "BOT_TOKEN_INVALID", false],
  [{ side: T, status: 404 }, "BOT_TOKEN_INVALID", false],
  [{ side: T, status: 403, word: "Forbidden: bot was blocked by the user" }, "USER_BLOCKED_BOT", false],
  [{ side: T, status: 400, word: "Bad Request: chat not found" }, "USER_BLOCKED_BOT", false],
  [{ side: T, status: 500 }, "TELEGRAM_UNAVAILABLE", true],
  [{ side: T, status: 502 }, "TELEGRAM_UNAVAILABLE", true],
  [{ side: S, status: 418 }, "UNKNOWN", true],
  [{ side: T, status: 400, word: "Bad Request: something new" }, "UNKNOWN", true],
  [{ side: S }, "UNKNOWN", true],
];

describe("the table of what can go wrong", () => {
  test.each(CASES)("%o is %s", (symptom, code, retryable) => {
    expect(recognise(symptom)).toMatchObject({ code, retryable });
  });

  test("has no row that no case shows", () => {
    const shown = new Set(CASES.map(([symptom]) => recognise(symptom)));
    expect(TAXONOMY.filter((row) => !shown.has(row))).toEqual([]);
  });

  test("has words for every code in every language", () => {
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
    ["fetch, silent", fetchFailed("UND_ERR_BODY_TIMEOUT"), S, "NETWORK_TIMEOUT"],
    ["a file that is not there", Object.assign(new Error("x"), { code: "ENOENT" }), S, "FILE_NOT_FOUND"],
    ["a file that is not ours", Object.assign(new Error("x"), { code: "EACCES" }), S, "ACCESS_DENIED"],
    ["grammy, cut off", overGrammy({ code: "ECONNRESET", type: "system" }), T, "NETWORK_RESET"],
    ["grammy, a page in place of an answer", overGrammy({ type: "invalid-json" }), T, "TELEGRAM_UNAVAILABLE"],
    ["grammy, something else", overGrammy({}), T, "UNKNOWN"],
    [
      "what the storage did while grammy sent",
      overGrammyWith(new DeliveryFault({ side: S, status: 404 })),
      T,
      "FILE_NOT_FOUND",
    ],
    ["nothing known", "a text", T, "UNKNOWN"],
  ])("%s is recognised", (_, error, side, code) => {
    expect(faultOf(error, side).code).toBe(code);
  });

  test("tells Telegram's retry_after, and no secret", () => {
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
