import type { Refusal } from "../../core/index.ts";
import type { Caller, Claimed, ClaimRequest, Engine } from "../../engine/index.ts";
import type { PoolWatch } from "./pool-watch.ts";

/** Claims tasks; if there are none, waits up to `waitMs` and claims as soon as one arrives. */
export async function longPollClaim(
  { engine, pools }: { engine: Engine; pools: PoolWatch },
  caller: Caller,
  request: ClaimRequest,
  { waitMs, signal }: { waitMs: number; signal: () => AbortSignal },
): Promise<Claimed | Refusal> {
  const claim = () => engine.claim(caller, request);
  if (waitMs <= 0) return claim();
  const until = Date.now() + waitMs;
  const waiter = pools.enter(caller.org_id, request);
  try {
    for (;;) {
      const answer = await waiter.attempt(claim, isEmpty);
      if (!isEmpty(answer) || !(await waiter.waitForHint(until - Date.now(), signal()))) return answer;
    }
  } finally {
    waiter.leave();
  }
}

function isEmpty(answer: Claimed | Refusal): boolean {
  return answer.kind === "claimed" && answer.tasks.length === 0;
}
