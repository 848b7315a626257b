import type { Explanation, Lifecycle } from "../data/client.ts";

type Refusal = Explanation["refusals"][number];

/** What it would mean to bring a task into a status: by which actions, or why not. */
export type Target = { status: string; actions: string[]; refusals: (Refusal & { action: string })[] };

/** For every other status of the lifecycle, whether a task can be moved there now, and by what. */
export function targetsOf(lifecycle: Lifecycle, status: string, explained: readonly Explanation[]): Target[] {
  const known = new Map(explained.map((one) => [one.action, one]));
  return lifecycle.statuses
    .filter(({ name }) => name !== status)
    .map(({ name }) => {
      const leading = lifecycle.rules.filter(({ from, to }) => from.includes(status) && to === name);
      const actions = [...new Set(leading.map(({ action }) => action))];
      return {
        status: name,
        actions: actions.filter((action) => known.get(action)?.allowed === true),
        refusals: actions.flatMap((action) => {
          const { allowed = true, refusals = [] } = known.get(action) ?? {};
          return allowed ? [] : refusals.map((refusal) => ({ ...refusal, action }));
        }),
      };
    });
}
