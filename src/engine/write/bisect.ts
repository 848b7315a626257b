/**
 * Runs `doAll` on all items; if it fails, on halves of them, until each failing item is isolated. One failing item among many
 * doubles the work. Errors that no item caused (`isToBlame`) are thrown immediately. The results are in the order of the items.
 */
export async function bisect<Item, Result>(
  items: readonly Item[],
  doAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  onFailure: (item: Item, error: unknown) => Promise<Result> | Result,
  isToBlame: (error: unknown) => boolean = () => true,
): Promise<Result[]> {
  const attempt = (some: readonly Item[]) =>
    doAll(some).then(
      (results) => ({ results }),
      (error: unknown) => {
        if (!isToBlame(error)) throw error;
        return { error };
      },
    );
  /** Takes items that are known to fail together. */
  const split = async (some: readonly Item[], error: unknown): Promise<Result[]> => {
    const [only] = some;
    if (some.length <= 1) return only === undefined ? [] : [await onFailure(only, error)];
    const middle = Math.ceil(some.length / 2);
    const first = await attempt(some.slice(0, middle));
    // If the first half succeeds, the second one must fail: split it without trying it as a whole.
    if ("results" in first) return [...first.results, ...(await split(some.slice(middle), error))];
    return [...(await split(some.slice(0, middle), first.error)), ...(await all(some.slice(middle)))];
  };
  const all = async (some: readonly Item[]): Promise<Result[]> => {
    const done = await attempt(some);
    return "results" in done ? [...done.results] : split(some, done.error);
  };
  return items.length === 0 ? [] : all(items);
}
