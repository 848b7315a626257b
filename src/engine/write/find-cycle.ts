/** Finds a cycle among references; returns its path, which ends with its first name, or null. */
export function findCycle(waitsFor: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  for (const start of waitsFor.keys()) {
    const cycle = walk(start, waitsFor, done);
    if (cycle) return cycle;
  }
  return null;
}

/** Depth-first search with an explicit stack: recursion would overflow on a chain of ten thousand tasks. */
function walk(
  start: string,
  waitsFor: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): string[] | null {
  const path = [start];
  const onPath = new Set(path);
  const open = [[...(waitsFor.get(start) ?? [])]];
  while (path.length > 0) {
    const next = open.at(-1)?.pop();
    if (next === undefined) {
      const left = path.pop() ?? "";
      onPath.delete(left);
      done.add(left);
      open.pop();
    } else if (onPath.has(next)) {
      return [...path.slice(path.indexOf(next)), next];
    } else if (!done.has(next)) {
      path.push(next);
      onPath.add(next);
      open.push([...(waitsFor.get(next) ?? [])]);
    }
  }
  return null;
}
