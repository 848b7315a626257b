import { retry, retryDelayMs } from "../../../std/retry.ts";
import { faultOf } from "./faults.ts";
import type { FaultCode } from "./faults.ts";
import type { Log } from "./log.ts";

/** Telegram is not there, or not to be had: that passes. */
const PASSING = new Set<FaultCode>([
  "NETWORK_TIMEOUT",
  "NETWORK_RESET",
  "RATE_LIMITED",
  "TELEGRAM_UNAVAILABLE",
]);

/** Asks until Telegram answers, and says so meanwhile: whoever starts before it, or in an outage, has nothing to do but wait. */
export function reachTelegram<T>(
  ask: () => Promise<T>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<T> {
  return retry(ask, {
    signal,
    delayAfter: (error, failures) => {
      const { code, retryAfterSeconds } = faultOf(error, "telegram");
      if (!PASSING.has(code)) return null;
      log.warn({ code }, "Telegram cannot be reached; it will be asked again");
      return retryDelayMs(failures, { retryAfter: retryAfterSeconds, firstMs: 500 });
    },
  });
}
