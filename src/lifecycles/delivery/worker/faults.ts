import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";

/** What can be seen of something that went wrong on a file's way. */
export type Symptom = {
  side: "storage" | "telegram";
  /** What the network did. */
  network?: "timeout" | "reset";
  /** Of the answer. */
  status?: number;
  /** What the answer says. */
  word?: string;
  retryAfterSeconds?: number | null;
};

type Row = { code: string; retryable: boolean; means: string; when: (symptom: Symptom) => boolean };

/**
 * Everything that goes wrong is one of these: the first row that fits. The lifecycle decides by `retryable` where the job
 * goes; users are told by the code.
 */
export const TAXONOMY = [
  row("NETWORK_TIMEOUT", true, "no answer in time", ({ network }) => network === "timeout"),
  row("NETWORK_RESET", true, "the connection broke off", ({ network }) => network === "reset"),
  row("RATE_LIMITED", true, "too many requests", ({ status }) => status === 429),
  row("CORRUPTED", true, "what came is not what is stored", ({ word }) => word === "corrupted"),
  row("STORAGE_UNAVAILABLE", true, "the storage is out of order", storage(isServerFault)),
  row(
    "STORAGE_UNAVAILABLE",
    true,
    "the storage is locked",
    storage(({ status }) => status === 423),
  ),
  row(SOURCE_TOKEN_INVALID, false, "the token is invalid, also after a refresh", storage(isStatus(401))),
  row("ACCESS_DENIED", false, "the storage refuses the file", storage(isStatus(403))),
  row("FILE_NOT_FOUND", false, "the file is not there any more", storage(isStatus(404))),
  row("FILE_TOO_LARGE", false, "the file is too large", isTooLarge),
  row("FILE_EMPTY", false, "the file has nothing in it", telegram(isEmpty)),
  row("BOT_TOKEN_INVALID", false, "Telegram does not know the bot's token", telegram(isStatus(401, 404))),
  row("USER_BLOCKED_BOT", false, "the user has blocked the bot", telegram(isStatus(403))),
  row("USER_BLOCKED_BOT", false, "there is no such chat any more", telegram(isChatGone)),
  row("TELEGRAM_UNAVAILABLE", true, "Telegram is out of order", telegram(isServerFault)),
  row("UNKNOWN", true, "nobody knows what it was", () => true),
] as const satisfies readonly Row[];

export type FaultCode = (typeof TAXONOMY)[number]["code"];

/** Something went wrong on a file's way, and this is what it means. Its message holds no secret, path or address. */
export class DeliveryFault extends Error {
  override readonly name = "DeliveryFault";
  readonly code: FaultCode;
  readonly retryable: boolean;
  /** Not sooner, says the other side. */
  readonly retryAfterSeconds: number | null;

  constructor(symptom: Symptom, options?: ErrorOptions & { detail?: string }) {
    const { code, retryable, means } = recognise(symptom);
    super(`${symptom.side}: ${options?.detail ?? means}${seen(symptom)}`, options);
    this.code = code;
    this.retryable = retryable;
    this.retryAfterSeconds = symptom.retryAfterSeconds ?? null;
  }
}

export function recognise(symptom: Symptom): { code: FaultCode; retryable: boolean; means: string } {
  const found = TAXONOMY.find(({ when }) => when(symptom));
  if (!found) throw new Error("the last row fits everything");
  return found;
}

/** What any error means that was met on one of the two sides. */
export function faultOf(error: unknown, side: Symptom["side"]): DeliveryFault {
  for (const one of chain(error)) if (one instanceof DeliveryFault) return one;
  return new DeliveryFault(symptomOf(error, side), { cause: error });
}

/** Of the errors of fetch, of files and sockets, and of grammy. */
function symptomOf(error: unknown, side: Symptom["side"]): Symptom {
  for (const one of chain(error)) {
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
        word: description ?? "",
        retryAfterSeconds: parameters?.retry_after ?? null,
      };
    const known = SYSTEM_CODES[code ?? ""];
    if (known) return { side, ...known };
    if (one.name === "TimeoutError") return { side, network: "timeout" };
    // An answer that is no JSON is what stands between us and Telegram when that is gone.
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

/** An error, and what it was caused by. */
function* chain(error: unknown): Generator<Error> {
  for (let depth = 0, one = error; one instanceof Error && depth < 10; depth++) {
    yield one;
    one = (one as { error?: unknown }).error ?? one.cause;
  }
}

function seen({ status }: Symptom): string {
  return status === undefined ? "" : ` (${status})`;
}

function row<const Code extends string>(
  code: Code,
  retryable: boolean,
  means: string,
  when: Row["when"],
): { code: Code; retryable: boolean; means: string; when: Row["when"] } {
  return { code, retryable, means, when };
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

function isTooLarge({ status, word = "" }: Symptom): boolean {
  return status === 413 || word === "too large" || /file is too big|entity too large/i.test(word);
}

function isEmpty({ status, word = "" }: Symptom): boolean {
  return status === 400 && /non-empty/i.test(word);
}

function isChatGone({ status, word = "" }: Symptom): boolean {
  return status === 400 && /chat not found|user is deactivated|PEER_ID_INVALID/i.test(word);
}
