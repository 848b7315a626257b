import type { Transformer } from "grammy";
import { setTimeout as pause } from "node:timers/promises";

const MAX_ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 30;

/** Retries calls that Telegram rejects with 429, after the delay it requests. */
export function retryRateLimited(): Transformer {
  return async (previous, method, payload, signal) => {
    for (let attempts = 1; ; attempts++) {
      const answer = await previous(method, payload, signal);
      if (answer.ok || answer.error_code !== 429 || attempts >= MAX_ATTEMPTS) return answer;
      const seconds = answer.parameters?.retry_after ?? 1;
      if (seconds > MAX_WAIT_SECONDS) return answer;
      await pause(seconds * 1_000);
    }
  };
}
