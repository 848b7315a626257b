import type { ROUTES, ReplyOf } from "../../../api/index.ts";

export type Graph = ReplyOf<typeof ROUTES.getGraph>;
export type GraphTask = Graph["tasks"][number];
export type Tie = Graph["dependencies"][number];

/** How it stands with a tie: it still holds somebody up, nothing will ever end that, or it is over. */
export type TieState = "holds" | "dead" | "over";

export function tieState({ resolved, on_failure }: Tie, blocker: GraphTask | undefined): TieState {
  if (resolved) return "over";
  // What has ended and is waited for all the same has not ended well.
  return blocker?.final === true && on_failure === "wait" ? "dead" : "holds";
}

/** All that a task waits for, and all who wait for it, however far. */
export function reachOf(ties: readonly Tie[], id: string): { before: Set<string>; after: Set<string> } {
  return {
    before: walk(id, (at) => ties.flatMap((tie) => (tie.task_id === at ? tie.blocker_id : []))),
    after: walk(id, (at) => ties.flatMap((tie) => (tie.blocker_id === at ? tie.task_id : []))),
  };
}

function walk(from: string, next: (id: string) => string[]): Set<string> {
  const met = new Set<string>();
  const toSee = [from];
  for (let at = toSee.pop(); at !== undefined; at = toSee.pop()) {
    for (const id of next(at)) {
      if (met.has(id) || id === from) continue;
      met.add(id);
      toSee.push(id);
    }
  }
  return met;
}
