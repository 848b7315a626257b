/** Scroll positions by history entry: of the page, and of its scrolling parts by their index in the document. */
const kept = new Map<string, { page: number; parts: readonly [left: number, top: number][] }>();

/** Parts of a screen that scroll on their own. */
const PARTS = "main :is(.columns, .cards, .rows, .tail, .scroll-x)";
/** Content that takes longer to load than this is shown from its beginning. */
const MAX_WAIT_MS = 3_000;

/** Remembers how far a page is scrolled, before it is left. */
export function keepScroll(entry: string): void {
  const parts = [...document.querySelectorAll(PARTS)].map((part): [number, number] => [
    part.scrollLeft,
    part.scrollTop,
  ]);
  kept.set(entry, { page: window.scrollY, parts });
}

/** Scrolls a page that is shown again to where it was, as soon as its content is there. Returns a function that gives up. */
export function restoreScroll(entry: string): () => void {
  const target = kept.get(entry);
  const begun = performance.now();
  let frame = 0;
  const step = () => {
    if (!target || apply(target) || performance.now() - begun > MAX_WAIT_MS) return;
    frame = requestAnimationFrame(step);
  };
  step();
  return () => {
    cancelAnimationFrame(frame);
  };
}

/** Returns whether everything is where it was. */
function apply({ page, parts }: { page: number; parts: readonly [number, number][] }): boolean {
  window.scrollTo(0, page);
  const found = [...document.querySelectorAll(PARTS)];
  const arePartsThere = parts.every(([left, top], index) => {
    const part = found[index];
    if (!part) return left === 0 && top === 0;
    part.scrollTo(left, top);
    return Math.abs(part.scrollTop - top) < 2 && Math.abs(part.scrollLeft - left) < 2;
  });
  return arePartsThere && Math.abs(window.scrollY - page) < 2;
}
