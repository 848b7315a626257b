import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";
import { BOT_TOKEN_INVALID, QUOTA_EXCEEDED } from "../outage-codes.ts";

/** The observable facts of a failed transfer. */
export type Symptom = {
  side: "storage" | "telegram";
  /** A failure of the connection. */
  network?: "timeout" | "reset";
  /** The HTTP status of the response. */
  status?: number;
  /** The error text of the response. */
  description?: string;
  retryAfterSeconds?: number | null;
};

type Row = { code: string; retryable: boolean; meaning: string; when: (symptom: Symptom) => boolean };

/**
 * Classifies all errors; the first matching row applies. The lifecycle decides by `retryable` whether to retry; the bot
 * has a text for each code.
 */
export const TAXONOMY = [
  row("NETWORK_TIMEOUT", true, "no response in time", ({ network }) => network === "timeout"),
  row("NETWORK_RESET", true, "the connection was lost", ({ network }) => network === "reset"),
  row("RATE_LIMITED", true, "too many requests", ({ status }) => status === 429),
  row(
    "CORRUPTED",
    true,
    "the data differs from the stored file",
    ({ description }) => description === "corrupted",
  ),
  row(QUOTA_EXCEEDED, true, "the quota of the storage is exhausted", storage(isQuotaExceeded)),
  row("STORAGE_UNAVAILABLE", true, "the storage is unavailable", storage(isServerFault)),
  row(
    "STORAGE_UNAVAILABLE",
    true,
    "the storage is locked",
    storage(({ status }) => status === 423),
  ),
  row(SOURCE_TOKEN_INVALID, false, "the token is invalid, also after a refresh", storage(isStatus(401))),
  row("ACCESS_DENIED", false, "the storage denies access to the file", storage(isStatus(403))),
  row("FILE_NOT_FOUND", false, "the file no longer exists", storage(isStatus(404))),
  row("FILE_TOO_LARGE", false, "the file is too large", isTooLarge),
  row("FILE_EMPTY", false, "the file is empty", telegram(isEmpty)),
  row(BOT_TOKEN_INVALID, false, "Telegram rejects the bot's token", telegram(isStatus(401, 404))),
  row("USER_BLOCKED_BOT", false, "the user has blocked the bot", telegram(isStatus(403))),
  row("USER_BLOCKED_BOT", false, "the chat no longer exists", telegram(isChatGone)),
  row("TELEGRAM_UNAVAILABLE", true, "Telegram is unavailable", telegram(isServerFault)),
  row("UNKNOWN", true, "unknown error", () => true),
] as const satisfies readonly Row[];

export type FaultCode = (typeof TAXONOMY)[number]["code"];

/** A classified error of a transfer. Its message contains no secrets, paths or addresses. */
export class DeliveryFault extends Error {
  override readonly name = "DeliveryFault";
  readonly side: Symptom["side"];
  readonly code: FaultCode;
  readonly retryable: boolean;
  /** The delay that the other side requests. */
  readonly retryAfterSeconds: number | null;

  constructor(symptom: Symptom, options?: ErrorOptions & { detail?: string }) {
    const { code, retryable, meaning } = classify(symptom);
    super(`${symptom.side}: ${options?.detail ?? meaning}${statusSuffix(symptom)}`, options);
    this.side = symptom.side;
    this.code = code;
    this.retryable = retryable;
    this.retryAfterSeconds = symptom.retryAfterSeconds ?? null;
  }
}

export function classify(symptom: Symptom): { code: FaultCode; retryable: boolean; meaning: string } {
  const match = TAXONOMY.find(({ when }) => when(symptom));
  if (!match) throw new Error("the last row must match everything");
  return match;
}

/** Classifies any error that occurred on one of the two sides. */
export function faultOf(error: unknown, side: Symptom["side"]): DeliveryFault {
  for (const one of causesOf(error)) if (one instanceof DeliveryFault) return one;
  return new DeliveryFault(symptomOf(error, side), { cause: error });
}

/** Reads the symptom from errors of fetch, of files and sockets, and of grammy. */
function symptomOf(error: unknown, side: Symptom["side"]): Symptom {
  for (const one of causesOf(error)) {
    const { code, error_code, description, parameters, type } = one as Partial<{
      code: string;
      error_code: number;
      description: string;
      parameters: { retry_after?: number };
      type: string;
    }>;
    if (typeof error_code === "number")
      return {
        side,
        status: error_code,
        description: description ?? "",
        retryAfterSeconds: parameters?.retry_after ?? null,
      };
    const known = SYSTEM_CODES[code ?? ""];
    if (known) return { side, ...known };
    if (one.name === "TimeoutError") return { side, network: "timeout" };
    // A proxy in front of an unavailable Telegram answers with something other than JSON.
    if (type === "invalid-json") return { side, status: 502 };
    if (type === "aborted" || type === "premature-close") return { side, network: "reset" };
  }
  return { side };
}

const SYSTEM_CODES: Readonly<Record<string, Omit<Symptom, "side">>> = {
  ETIMEDOUT: { network: "timeout" },
  UND_ERR_CONNECT_TIMEOUT: { network: "timeout" },
  UND_ERR_HEADERS_TIMEOUT: { network: "timeout" },
  UND_ERR_BODY_TIMEOUT: { network: "timeout" },
  ECONNRESET: { network: "reset" },
  ECONNREFUSED: { network: "reset" },
  ECONNABORTED: { network: "reset" },
  EPIPE: { network: "reset" },
  EHOSTUNREACH: { network: "reset" },
  ENETUNREACH: { network: "reset" },
  ENOTFOUND: { network: "reset" },
  EAI_AGAIN: { network: "reset" },
  UND_ERR_SOCKET: { network: "reset" },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { network: "reset" },
  ERR_STREAM_PREMATURE_CLOSE: { network: "reset" },
  ENOENT: { status: 404 },
  ENOTDIR: { status: 404 },
  EISDIR: { status: 404 },
  ELOOP: { status: 403 },
  EACCES: { status: 403 },
  EPERM: { status: 403 },
  EIO: { status: 503 },
};

/** Yields an error and its causes. */
function* causesOf(error: unknown): Generator<Error> {
  for (let depth = 0, one = error; one instanceof Error && depth < 10; depth++) {
    yield one;
    one = (one as { error?: unknown }).error ?? one.cause;
  }
}

function statusSuffix({ status }: Symptom): string {
  return status === undefined ? "" : ` (${status})`;
}

function row<const Code extends string>(
  code: Code,
  retryable: boolean,
  meaning: string,
  when: Row["when"],
): { code: Code; retryable: boolean; meaning: string; when: Row["when"] } {
  return { code, retryable, meaning, when };
}

function storage(when: Row["when"]): Row["when"] {
  return (symptom) => symptom.side === "storage" && when(symptom);
}

function telegram(when: Row["when"]): Row["when"] {
  return (symptom) => symptom.side === "telegram" && when(symptom);
}

function isStatus(...statuses: number[]): Row["when"] {
  return ({ status }) => statuses.includes(status ?? 0);
}

function isServerFault({ status = 0 }: Symptom): boolean {
  return status >= 500;
}

/** Codes such as `DiskResourceDownloadLimitExceededError` of Yandex Disk, and `download_cap_exceeded` of servers with the S3 API. */
function isQuotaExceeded({ status = 0, description = "" }: Symptom): boolean {
  return status === 402 || status === 509 || /(limit|quota|cap)_?exceeded/i.test(description);
}

function isTooLarge({ status, description = "" }: Symptom): boolean {
  return (
    status === 413 || description === "too large" || /file is too big|entity too large/i.test(description)
  );
}

function isEmpty({ status, description = "" }: Symptom): boolean {
  return status === 400 && /non-empty/i.test(description);
}

function isChatGone({ status, description = "" }: Symptom): boolean {
  return status === 400 && /chat not found|user is deactivated|PEER_ID_INVALID/i.test(description);
}
