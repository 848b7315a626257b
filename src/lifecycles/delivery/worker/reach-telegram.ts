import { pauseMs, rest } from "../../../client/patience.ts";
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
export async function reachTelegram<T>(
  ask: () => Promise<T>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const { code, retryAfterSeconds } = faultOf(error, "telegram");
      if (!PASSING.has(code)) throw error;
      log.warn({ code }, "Telegram cannot be reached; it will be asked again");
      await rest(pauseMs(failures, { retryAfter: retryAfterSeconds, firstMs: 500 }), signal);
    }
  }
}
