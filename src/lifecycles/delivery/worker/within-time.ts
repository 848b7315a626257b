import { followSignals } from "../../../std/follow-signals.ts";
import { withTimeout } from "../../../std/with-timeout.ts";
import { DeliveryFault } from "./faults.ts";
import type { Symptom } from "./faults.ts";

export type Limit = { ms: number; side: Symptom["side"]; signal: AbortSignal };

/**
 * Work that is given up, and told to end, when it takes too long: then it is a timeout of that side. Not by
 * `AbortSignal.timeout`: one that others follow may be collected before its time, and then never fires.
 */
export async function withinTime<T>(
  { ms, side, signal }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const waiting = followSignals([signal]);
  const giveUp = () => {
    const fault = new DeliveryFault({ side, network: "timeout" });
    waiting.abort(fault);
    throw fault;
  };
  try {
    return await withTimeout(work(waiting.signal), ms, giveUp);
  } finally {
    waiting.release();
  }
}
