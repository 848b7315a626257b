import { WAIT_LIMIT_MS } from "./wait-limit.ts";

const POLL_INTERVAL_MS = 25;

/** Polls until the condition gives something, and returns that. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const end = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`not within ${WAIT_LIMIT_MS / 1_000} s: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
