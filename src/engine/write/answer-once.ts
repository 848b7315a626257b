import { isRefusal } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import { fingerprint } from "./fingerprint.ts";
import { findRequests } from "../sql/find-requests.ts";
import { holdMark } from "../sql/hold-mark.ts";
import { readClock } from "../sql/read-surroundings.ts";
import { saveRequests } from "../sql/save-requests.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { otherMeaning } from "./stored-answers.ts";

/** What a caller wants done once, by his key; what it means is everything but the key. */
export type Intention = { client_event_id: string | null; actor: Actor; meaning: readonly unknown[] };

export type Once<Answer> = { kind: "done"; answer: Answer; replayed: boolean };

/**
 * Does, in a transaction, what is no command on a task, and once for each client_event_id: whoever comes again with the
 * same key and the same meaning gets the first answer. A refusal does not use the key up.
 */
export async function answerOnce<Answer extends object>(
  tx: Tx,
  org_id: string,
  { client_event_id: key, actor, meaning }: Intention,
  work: () => Promise<Answer | Refusal>,
): Promise<Once<Answer> | Refusal> {
  const print = key === null ? "" : fingerprint([...meaning, actor.id]);
  if (key !== null) {
    await holdMark(tx, `${org_id} ${key}`);
    const [use] = await findRequests(tx, org_id, [key]);
    const other = use && otherMeaning(use, print);
    if (other) return other;
    if (use) return { kind: "done", answer: use.answer as Answer, replayed: true };
  }
  const answer = await work();
  if (isRefusal(answer)) return answer;
  if (key !== null) {
    const now = await readClock(tx);
    const row = { client_event_id: key, actor_id: actor.id, fingerprint: print, answer, task_id: null };
    const { text, params } = saveRequests(org_id, [row], now);
    await query(tx, text, params);
  }
  return { kind: "done", answer, replayed: false };
}
