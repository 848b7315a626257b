/**
 * Does something for all items together; where that fails, for halves of them, until whatever fails is alone. Costs some three
 * tries for each doubling of the number of items. The results stand in the order of the items.
 */
export async function bisect<Item, Result>(
  items: readonly Item[],
  doAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  onFailure: (item: Item, error: unknown) => Promise<Result> | Result,
): Promise<Result[]> {
  try {
    return [...(await doAll(items))];
  } catch (error) {
    return split(items, doAll, onFailure, error);
  }
}

/** Items that are known to fail together. */
async function split<Item, Result>(
  items: readonly Item[],
  doAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  onFailure: (item: Item, error: unknown) => Promise<Result> | Result,
  error: unknown,
): Promise<Result[]> {
  const [only] = items;
  if (items.length <= 1) return only === undefined ? [] : [await onFailure(only, error)];
  const middle = Math.ceil(items.length / 2);
  const [first, second] = [items.slice(0, middle), items.slice(middle)];
  let failure: { error: unknown } | null = null;
  const before = await doAll(first).catch((reason: unknown) => {
    failure = { error: reason };
    return null;
  });
  // If the first half succeeds, the second is what fails, and need not be tried as a whole.
  if (before !== null) return [...before, ...(await split(second, doAll, onFailure, error))];
  const done = await split(first, doAll, onFailure, (failure as { error: unknown } | null)?.error);
  return [...done, ...(await bisect(second, doAll, onFailure))];
}
