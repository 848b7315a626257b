import { followSignals } from "../../../std/follow-signals.ts";
import { withTimeout } from "../../../std/with-timeout.ts";
import { DeliveryFault } from "./faults.ts";
import type { Symptom } from "./faults.ts";

export type TimeLimit = { ms: number; side: Symptom["side"]; signal: AbortSignal };

/**
 * Runs work with a time limit. When it is exceeded, the work is aborted and the result is a timeout fault of that side.
 * Does not use `AbortSignal.timeout`: followed by other signals, it can be garbage collected and never fire.
 */
export async function withTimeLimit<T>(
  { ms, side, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const following = followSignals([signal]);
  const giveUp = () => {
    const fault = new DeliveryFault({ side, network: "timeout" });
    following.abort(fault);
    throw fault;
  };
  try {
    return await withTimeout(work(following.signal), ms, giveUp);
  } finally {
    following.release();
  }
}
