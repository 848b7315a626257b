import type { Refusal } from "../../core/index.ts";
import type { By, Claimed, ClaimRequest, Engine } from "../../engine/index.ts";
import type { PoolWatch } from "./pool-watch.ts";

/** Claims as soon as there is something to claim, for as long as somebody waits for it. */
export async function claimPatiently(
  { engine, pools }: { engine: Engine; pools: PoolWatch },
  by: By,
  request: ClaimRequest,
  { waitMs, signal }: { waitMs: number; signal: () => AbortSignal },
): Promise<Claimed | Refusal> {
  const claim = () => engine.claim(by, request);
  if (waitMs <= 0) return claim();
  const until = Date.now() + waitMs;
  const place = pools.enter(by.org_id, request);
  try {
    for (;;) {
      const answer = await place.look(claim, isInVain);
      if (!isInVain(answer) || !(await place.isWorthALook(until - Date.now(), signal()))) return answer;
    }
  } finally {
    place.leave();
  }
}

function isInVain(answer: Claimed | Refusal): boolean {
  return answer.kind === "claimed" && answer.tasks.length === 0;
}
