import { isRefusal } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { findRequests } from "../sql/find-requests.ts";
import { lockText } from "../sql/advisory-locks.ts";
import { readClock } from "../sql/read-task-context.ts";
import { saveRequests } from "../sql/save-requests.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { keyConflict } from "./stored-answers.ts";

/** A request that runs once per key; `meaning` is everything but the key. */
export type IdempotentRequest = { client_event_id: string | null; actor: Actor; meaning: readonly unknown[] };

/** An answer; `replayed` if it was stored by an earlier request with the same key. */
export type IdempotentResult<Answer> = { kind: "done"; answer: Answer; replayed: boolean };

/**
 * Makes work idempotent that is not a command on a task: a repeated request with the same key and meaning gets the stored answer.
 * The same key with another meaning is refused with IDEMPOTENCY_CONFLICT. A refusal does not use up the key.
 */
export async function withIdempotencyKey<Answer extends object>(
  tx: Tx,
  org_id: string,
  { client_event_id: key, actor, meaning }: IdempotentRequest,
  work: () => Promise<Answer | Refusal>,
): Promise<IdempotentResult<Answer> | Refusal> {
  const fingerprint = key === null ? "" : fingerprintOf([...meaning, actor.id]);
  if (key !== null) {
    await lockText(tx, `${org_id} ${key}`);
    const [use] = await findRequests(tx, org_id, [key]);
    const conflict = use && keyConflict(use, fingerprint);
    if (conflict) return conflict;
    if (use) return { kind: "done", answer: use.answer as Answer, replayed: true };
  }
  const answer = await work();
  if (isRefusal(answer)) return answer;
  if (key !== null) {
    const now = await readClock(tx);
    const row = { client_event_id: key, actor_id: actor.id, fingerprint, answer, task_id: null };
    const { text, params } = saveRequests(org_id, [row], now);
    await query(tx, text, params);
  }
  return { kind: "done", answer, replayed: false };
}
