import { pauseMs, rest } from "../../../client/patience.ts";
import { isPassing } from "../../../worker/patience.ts";

/** Asks the server until it answers: that it is away for a moment is no reason to send two gigabytes again. */
export async function untilAnswered<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await rest(pauseMs(failures, { retryAfter: error.retryAfter }), signal);
    }
  }
}
