import { isRefusal, PawlError } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";

/**
 * Returns an accepted answer; throws a refusal as a PawlError with its code, detail and params, so that your transaction rolls back.
 *
 * ```ts
 * const { tasks } = accepted(await pawl.create(caller, [{ lifecycle: "packing", … }], { tx: fromDrizzle(tx) }));
 * ```
 */
export function accepted<Answer>(answer: Answer | Refusal): Exclude<Answer, Refusal> {
  if (isRefusal(answer)) throw new PawlError(answer.code, answer.detail, { ...answer.params });
  return answer as Exclude<Answer, Refusal>;
}
