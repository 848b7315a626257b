import type { JournalEntry } from "../../data/client.ts";

/** Entries that are shown, and those like them that are folded below. */
export type Fold = { shown: JournalEntry[]; folded: JournalEntry[] };

/** Shorter runs are shown in full: a fold would take as much space. */
const MIN_REPEATS = 3;
/** A cycle such as claim, fail, retry has up to this many entries. */
const MAX_CYCLE = 4;

/** Folds entries, or cycles of entries, that repeat one after the other. Different comments are never folded. */
export function foldRepeats(entries: readonly JournalEntry[]): Fold[] {
  const folds: Fold[] = [];
  for (let at = 0; at < entries.length;) {
    const { cycle, repeats } = findRun(entries, at);
    const end = at + cycle * repeats;
    folds.push({ shown: entries.slice(at, at + cycle), folded: entries.slice(at + cycle, end) });
    at = end;
  }
  return folds;
}

/** The cycle that begins at an entry and covers the most entries; a cycle of one entry, once, if none repeats enough. */
function findRun(entries: readonly JournalEntry[], at: number): { cycle: number; repeats: number } {
  let best = { cycle: 1, repeats: 1 };
  for (let cycle = 1; cycle <= MAX_CYCLE; cycle++) {
    let end = at + cycle;
    while (end < entries.length && isAlike(entries[end], entries[end - cycle])) end++;
    const repeats = Math.floor((end - at) / cycle);
    if (repeats >= MIN_REPEATS && cycle * repeats > best.cycle * best.repeats) best = { cycle, repeats };
  }
  return best;
}

function isAlike(a: JournalEntry | undefined, b: JournalEntry | undefined): boolean {
  return a !== undefined && b !== undefined && signatureOf(a) === signatureOf(b);
}

function signatureOf({ action, actor_id, from_status, to_status, comment }: JournalEntry): string {
  return JSON.stringify([action, actor_id, from_status, to_status, comment ?? ""]);
}
