import { followSignals } from "../../../std/follow-signals.ts";
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const fault = new DeliveryFault({ side, network: "timeout" });
      reject(fault);
      waiting.abort(fault);
    }, ms);
  });
  const working = work(waiting.signal);
  // What comes of it later has been told.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
    waiting.release();
  }
}
