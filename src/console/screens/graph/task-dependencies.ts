import type { ROUTES, ReplyOf } from "../../../api/index.ts";

export type Graph = ReplyOf<typeof ROUTES.getGraph>;
export type GraphTask = Graph["tasks"][number];
export type Dependency = Graph["dependencies"][number];

/** State of an edge: the blocker still blocks, has failed and blocks forever, or is resolved. */
export type DependencyState = "blocks" | "failed" | "resolved";

export function dependencyState(
  { resolved, on_failure }: Dependency,
  blocker: GraphTask | undefined,
): DependencyState {
  if (resolved) return "resolved";
  // A final blocker whose edge is still unresolved has failed.
  return blocker?.final === true && on_failure === "wait" ? "failed" : "blocks";
}

/** All tasks before and after a task, along any number of edges. */
export function reachOf(
  dependencies: readonly Dependency[],
  id: string,
): { before: Set<string>; after: Set<string> } {
  return {
    before: walk(id, (at) =>
      dependencies.flatMap((dependency) => (dependency.task_id === at ? dependency.blocker_id : [])),
    ),
    after: walk(id, (at) =>
      dependencies.flatMap((dependency) => (dependency.blocker_id === at ? dependency.task_id : [])),
    ),
  };
}

function walk(from: string, next: (id: string) => string[]): Set<string> {
  const visited = new Set<string>();
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const id of next(at)) {
      if (visited.has(id) || id === from) continue;
      visited.add(id);
      queue.push(id);
    }
  }
  return visited;
}
