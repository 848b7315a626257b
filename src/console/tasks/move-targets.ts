import type { Explanation, Lifecycle } from "../data/client.ts";

type Refusal = Explanation["refusals"][number];

/** A target status: the actions that lead there, or the refusals. */
export type MoveTarget = { status: string; actions: string[]; refusals: (Refusal & { action: string })[] };

/** For each other status, the actions that move the task there now, or why it cannot be moved. */
export function moveTargetsOf(
  lifecycle: Lifecycle,
  status: string,
  explained: readonly Explanation[],
): MoveTarget[] {
  const byAction = new Map(explained.map((one) => [one.action, one]));
  return lifecycle.statuses
    .filter(({ name }) => name !== status)
    .map(({ name }) => {
      const leading = lifecycle.rules.filter(({ from, to }) => from.includes(status) && to === name);
      const actions = [...new Set(leading.map(({ action }) => action))];
      return {
        status: name,
        actions: actions.filter((action) => byAction.get(action)?.allowed === true),
        refusals: actions.flatMap((action) => {
          const { allowed = true, refusals = [] } = byAction.get(action) ?? {};
          return allowed ? [] : refusals.map((refusal) => ({ ...refusal, action }));
        }),
      };
    });
}
