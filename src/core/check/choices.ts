/** Gives one of the options; asked again for the same thing in the same run, it gives the same one. */
export type Choose = <T>(what: string, options: readonly T[]) => T;

type Choice = { options: readonly unknown[]; index: number };

/**
 * Runs something once for every combination of the choices it asks for on its way. Where there are more than the limit,
 * the rest are tried one at a time: each option of each choice, with everything else as it comes first.
 */
export function forEveryChoice<T>(run: (choose: Choose) => T, limit: number): T[] {
  const path: Choice[] = [];
  const results: T[] = [];
  const seen = new Map<string, readonly unknown[]>();
  while (results.length < limit) {
    results.push(runAlong(path, run, seen));
    // Back to the last choice that has an option left.
    while (path.length > 0 && isExhausted(path.at(-1))) path.pop();
    const last = path.at(-1);
    if (last === undefined) return results;
    last.index++;
  }
  for (const [what, options] of seen) {
    for (const option of options.slice(1)) results.push(run(firstsBut(what, option)));
  }
  return results;
}

function firstsBut(what: string, option: unknown): Choose {
  return <O>(asked: string, options: readonly O[]) => (asked === what ? option : options[0]) as O;
}

function runAlong<T>(path: Choice[], run: (choose: Choose) => T, seen: Map<string, readonly unknown[]>): T {
  const made = new Map<string, unknown>();
  let step = 0;
  const result = run(<O>(what: string, options: readonly O[]): O => {
    if (made.has(what)) return made.get(what) as O;
    const choice = (path[step] ??= { options, index: 0 });
    step++;
    const chosen = options[choice.index] as O;
    made.set(what, chosen);
    seen.set(what, options);
    return chosen;
  });
  path.length = Math.min(path.length, step);
  return result;
}

function isExhausted(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.index + 1 >= choice.options.length;
}
