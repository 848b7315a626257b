import { retry, retryDelayMs } from "../../../std/retry.ts";
import { faultOf } from "./faults.ts";
import type { FaultCode } from "./faults.ts";
import type { Log } from "./log.ts";

/** Temporary errors. */
const TRANSIENT = new Set<FaultCode>([
  "NETWORK_TIMEOUT",
  "NETWORK_RESET",
  "RATE_LIMITED",
  "TELEGRAM_UNAVAILABLE",
]);

/** Retries a call until Telegram answers, so that a process can start during an outage. Logs each failure. */
export function retryTelegram<T>(
  ask: () => Promise<T>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<T> {
  return retry(ask, {
    signal,
    delayAfter: (error, failures) => {
      const { code, retryAfterSeconds } = faultOf(error, "telegram");
      if (!TRANSIENT.has(code)) return null;
      log.warn({ code }, "Telegram cannot be reached; retrying");
      return retryDelayMs(failures, { retryAfter: retryAfterSeconds, firstMs: 500 });
    },
  });
}
