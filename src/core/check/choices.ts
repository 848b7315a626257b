/** Returns one of the options, and the same one each time it is called for the same thing in one run. */
export type Choose = <T>(what: string, options: readonly T[]) => T;

type Choice = { options: readonly unknown[]; index: number };

/**
 * Runs a function once for every combination of the choices it makes. Beyond the limit, each remaining option of each
 * choice is tried once, with the first option of all other choices.
 */
export function forEveryChoice<T>(run: (choose: Choose) => T, limit: number): T[] {
  const path: Choice[] = [];
  const results: T[] = [];
  const seen = new Map<string, readonly unknown[]>();
  while (results.length < limit) {
    results.push(runAlong(path, run, seen));
    // Backtrack to the last choice that has an option left.
    while (path.length > 0 && isExhausted(path.at(-1))) path.pop();
    const last = path.at(-1);
    if (last === undefined) return results;
    last.index++;
  }
  for (const [what, options] of seen) {
    for (const option of options.slice(1)) results.push(run(firstOptionsExcept(what, option)));
  }
  return results;
}

function firstOptionsExcept(what: string, option: unknown): Choose {
  return <O>(current: string, options: readonly O[]) => (current === what ? option : options[0]) as O;
}

function runAlong<T>(path: Choice[], run: (choose: Choose) => T, seen: Map<string, readonly unknown[]>): T {
  const chosenBefore = new Map<string, unknown>();
  let step = 0;
  const result = run(<O>(what: string, options: readonly O[]): O => {
    if (chosenBefore.has(what)) return chosenBefore.get(what) as O;
    const choice = (path[step] ??= { options, index: 0 });
    step++;
    const chosen = options[choice.index] as O;
    chosenBefore.set(what, chosen);
    seen.set(what, options);
    return chosen;
  });
  path.length = Math.min(path.length, step);
  return result;
}

function isExhausted(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.index + 1 >= choice.options.length;
}
