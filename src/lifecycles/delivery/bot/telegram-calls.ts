import type { Transformer } from "grammy";
import { setTimeout as pause } from "node:timers/promises";
import { withTimeLimit } from "../worker/with-time-limit.ts";

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

/** Aborts calls without an answer. A lost connection would otherwise block the bot for minutes, for all of its users. */
export function limitAnswerTime(answerMs: number): Transformer {
  return (previous, method, payload, signal) => {
    const { timeout: pollSeconds = 0 } = payload as { timeout?: number };
    const limit = {
      ms: answerMs + (method === "getUpdates" ? pollSeconds * 1_000 : 0),
      side: "telegram",
      signal: (signal as AbortSignal | undefined) ?? new AbortController().signal,
    } as const;
    return withTimeLimit(limit, (waiting) => previous(method, payload, waiting as unknown as typeof signal));
  };
}
