import type { Transformer } from "grammy";
import { setTimeout as pause } from "node:timers/promises";

const MOST_TRIES = 3;
const LONGEST_WAIT_SECONDS = 30;

/** Does what Telegram asks for when there is too much at once: waits as long as it says, and tries again. */
export function patiently(): Transformer {
  return async (previous, method, payload, signal) => {
    for (let tries = 1; ; tries++) {
      const answer = await previous(method, payload, signal);
      if (answer.ok || answer.error_code !== 429 || tries >= MOST_TRIES) return answer;
      const seconds = answer.parameters?.retry_after ?? 1;
      if (seconds > LONGEST_WAIT_SECONDS) return answer;
      await pause(seconds * 1_000);
    }
  };
}
