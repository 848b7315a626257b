import type { Explanation, Lifecycle } from "../../data/client.ts";

export type Refusal = Explanation["refusals"][number];

/** A reason, and the actions that it forbids. */
export type RefusalGroup = { sentence: string; refusal: Refusal; actions: string[] };

/** Groups refused actions by their reasons: first what is not possible in this status, then other reasons. Leaves out actions of the system. */
export function groupRefusals(
  lifecycle: Lifecycle,
  refused: readonly Explanation[],
  sentence: (refusal: Refusal) => string,
): RefusalGroup[] {
  const byMembers = new Set(
    lifecycle.rules.filter(({ who }) => who.some((one) => one !== "system")).map(({ action }) => action),
  );
  const ofMembers = new Set(
    lifecycle.actions.flatMap(({ name, roles }) => (byMembers.has(name) && roles.length > 0 ? [name] : [])),
  );
  const groups = new Map<string, RefusalGroup>();
  for (const { action, refusals } of refused) {
    if (!ofMembers.has(action)) continue;
    for (const refusal of refusals) {
      const key = sentence(refusal);
      const group = groups.get(key) ?? { sentence: key, refusal, actions: [] };
      if (!group.actions.includes(action)) group.actions.push(action);
      groups.set(key, group);
    }
  }
  return [...groups.values()].sort(
    (a, b) => Number(b.refusal.code === WRONG_STATUS) - Number(a.refusal.code === WRONG_STATUS),
  );
}

export const WRONG_STATUS = "INVALID_TRANSITION";
