/** What a contender did and how long it took; preparing for it is not counted. */
export type Bout = { done: number; seconds: number; figures?: Record<string, number> };

/** How much to do, and in which of the contender's modes. */
export type Terms = Record<string, number>;

/** Where a contender finds its server. */
export type Place = { url: string; profiles?: string };

export type Bouts = Record<string, (terms: Terms) => Promise<Bout>>;

/** One who is measured: runs in a process of its own and does bouts of work when it is told to. */
export type Contender = { bouts: Bouts; close: () => Promise<unknown> };

/** What the module of a contender exports. The peers' modules are outside of the build, and so are handed their tools. */
export type ContenderModule = { open: (place: Place, tools: Tools) => Promise<Contender> };
type Tools = { timed: typeof timed; fromCallers: typeof fromCallers };

/** From the parent to the contender's process, and back. */
export type Order = { id: number; bout: string; terms: Terms };
export type Answer = { id: number; bout: Bout } | { id: number; error: string } | { ready: true };

/** Waits for `work` and says how long it took. */
export async function timed(done: number, work: () => Promise<unknown>): Promise<Bout> {
  const started = process.hrtime.bigint();
  await work();
  return { done, seconds: Number(process.hrtime.bigint() - started) / 1e9 };
}

/** Does `total` pieces of work from so many callers at once; each caller does one after the other. */
export async function fromCallers(
  callers: number,
  total: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const call = async () => {
    for (let index = next++; index < total; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: callers }, call));
}
