import type { Refusal } from "../core/index.ts";
import type { Claimed, ClaimRequest } from "../engine/claim.ts";
import type { By, Engine } from "../engine/engine.ts";
import type { Bell } from "./bell.ts";

/** What no bell tells of: tasks of other nodes, and those whose time has come. */
const LOOK_EVERY_MS = 1_000;

/** Claims as soon as there is something to claim, for as long as somebody waits for it. */
export async function claimPatiently(
  { engine, bell }: { engine: Engine; bell: Bell },
  by: By,
  request: ClaimRequest,
  { waitMs, signal }: { waitMs: number; signal: () => AbortSignal },
): Promise<Claimed | Refusal> {
  const until = Date.now() + waitMs;
  for (;;) {
    // Counted before it is looked: what comes meanwhile has rung by then.
    const rings = bell.rings(by.org_id, request.lifecycle);
    const answer = await engine.claim(by, request);
    const left = until - Date.now();
    if (answer.kind === "refused" || answer.tasks.length > 0 || left <= 0) return answer;
    // Not all at the same moment.
    const ms = Math.min(left, LOOK_EVERY_MS * (0.75 + Math.random() / 2));
    await bell.heard(by.org_id, request.lifecycle, { rings, ms, signal: signal() });
    if (signal().aborted) return answer;
  }
}
