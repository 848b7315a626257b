import { layOut } from "../../graph/layout.ts";
import type { Box, Edge } from "../../graph/layout.ts";

export type Spot = Box & { x: number; y: number };
export type Arrangement = { spots: Spot[]; width: number; height: number };

type Block = { boxes: Spot[]; width: number; height: number };

const ISLAND_GAP = 64;
const RANK_GAP = 64;
/** Between columns of one rank, and between boxes of one column. */
const COLUMN_GAP = 22;
const ROW_GAP = 14;
/** How much wider than high the whole should be: like a screen. */
const SHAPE = 1.7;

/** Places boxes so that none overlaps another: what is tied together stays together, and the islands fill a page. */
export function arrange(boxes: readonly Box[], edges: readonly Edge[]): Arrangement {
  const blocks = islandsOf(boxes, edges).map(blockOf);
  return shelve(blocks.toSorted((a, b) => b.height - a.height || b.width - a.width));
}

type Island = { boxes: Box[]; edges: Edge[] };

/** What is tied together, by whatever way. */
function islandsOf(boxes: readonly Box[], edges: readonly Edge[]): Island[] {
  const lead = new Map(boxes.map(({ id }) => [id, id]));
  const leadOf = (id: string): string => {
    let at = id;
    for (let next = lead.get(at); next !== undefined && next !== at; next = lead.get(at)) at = next;
    lead.set(id, at);
    return at;
  };
  const drawn = edges.filter(({ from, to }) => lead.has(from) && lead.has(to));
  for (const { from, to } of drawn) lead.set(leadOf(from), leadOf(to));
  const islands = new Map<string, Island>();
  for (const box of boxes) {
    const key = leadOf(box.id);
    const island = islands.get(key) ?? { boxes: [], edges: [] };
    island.boxes.push(box);
    islands.set(key, island);
  }
  for (const edge of drawn) islands.get(leadOf(edge.from))?.edges.push(edge);
  return [...islands.values()];
}

/** The ranks of an island from left to right; one with many boxes has several columns, so that nothing becomes a tower. */
function blockOf({ boxes, edges }: Island): Block {
  const ranks: Spot[][] = [];
  for (const { rank, ...box } of layOut(boxes, edges).boxes) (ranks[rank] ??= []).push(box);
  const rows = rowsFor(boxes);
  const columns = ranks.flatMap((rank) => {
    const count = Math.ceil(rank.length / rows);
    const each = Math.ceil(rank.length / count);
    return Array.from({ length: count }, (_, at) => ({
      boxes: rank.slice(at * each, (at + 1) * each),
      gap: at === count - 1 ? RANK_GAP : COLUMN_GAP,
    }));
  });
  const heights = columns.map((column) =>
    column.boxes.reduce((sum, box) => sum + box.height + ROW_GAP, -ROW_GAP),
  );
  const height = Math.max(0, ...heights);
  const spots: Spot[] = [];
  let [x, width] = [0, 0];
  for (const [at, column] of columns.entries()) {
    let y = (height - (heights[at] ?? 0)) / 2;
    for (const box of column.boxes) {
      spots.push({ ...box, x, y });
      y += box.height + ROW_GAP;
    }
    width = x + Math.max(0, ...column.boxes.map((box) => box.width));
    x = width + column.gap;
  }
  return { boxes: spots, width, height };
}

/** How many boxes below each other make the whole about as wide as it should be. */
function rowsFor(boxes: readonly Box[]): number {
  const area = boxes.reduce((sum, box) => sum + (box.width + RANK_GAP) * (box.height + ROW_GAP), 0);
  const tallest = Math.max(1, ...boxes.map((box) => box.height + ROW_GAP));
  return Math.max(4, Math.round(Math.sqrt(area / SHAPE) / tallest));
}

/** As wide as makes the whole most like a screen: as the first block, or the first two, or … */
function shelve(blocks: readonly Block[]): Arrangement {
  const least = Math.max(0, ...blocks.map(({ width }) => width));
  const pages = new Set([least]);
  let together = -ISLAND_GAP;
  for (const { width } of blocks) pages.add(Math.max(least, (together += width + ISLAND_GAP)));
  const strangeness = ({ width, height }: Arrangement) =>
    Math.abs(Math.log(Math.max(1, width) / Math.max(1, height) / SHAPE));
  return [...pages]
    .map((page) => shelvesOn(page, blocks))
    .reduce((best, one) => (strangeness(one) < strangeness(best) ? one : best));
}

/** One shelf below the other, each as long as the page is wide; the highest stand first. */
function shelvesOn(page: number, blocks: readonly Block[]): Arrangement {
  const spots: Spot[] = [];
  let [x, y, shelf, widest] = [0, 0, 0, 0];
  for (const { boxes, width, height } of blocks) {
    if (x > 0 && x + width > page) [x, y, shelf] = [0, y + shelf + ISLAND_GAP, 0];
    for (const box of boxes) spots.push({ ...box, x: box.x + x, y: box.y + y });
    widest = Math.max(widest, x + width);
    shelf = Math.max(shelf, height);
    x += width + ISLAND_GAP;
  }
  return { spots, width: widest, height: y + shelf };
}
