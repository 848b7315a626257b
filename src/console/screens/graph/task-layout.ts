import { layOut } from "../../graph/layout.ts";
import type { Box, Edge } from "../../graph/layout.ts";

export type PlacedBox = Box & { x: number; y: number };
export type TaskLayout = { boxes: PlacedBox[]; width: number; height: number };

type Block = TaskLayout;

const PART_GAP = 64;
const RANK_GAP = 64;
/** Gap between columns of one rank, and between boxes of one column. */
const COLUMN_GAP = 22;
const ROW_GAP = 14;
/** Target ratio of width to height, like a screen. */
const ASPECT_RATIO = 1.7;

/** Places boxes without overlap: each connected part is one block, and the blocks are packed into a page. */
export function layoutTasks(boxes: readonly Box[], edges: readonly Edge[]): TaskLayout {
  const blocks = connectedParts(boxes, edges).map(blockOf);
  return packBlocks(blocks.toSorted((a, b) => b.height - a.height || b.width - a.width));
}

type ConnectedPart = { boxes: Box[]; edges: Edge[] };

/** Groups boxes into connected parts. */
function connectedParts(boxes: readonly Box[], edges: readonly Edge[]): ConnectedPart[] {
  const parent = new Map(boxes.map(({ id }) => [id, id]));
  const rootOf = (id: string): string => {
    let at = id;
    for (let next = parent.get(at); next !== undefined && next !== at; next = parent.get(at)) at = next;
    parent.set(id, at);
    return at;
  };
  const drawn = edges.filter(({ from, to }) => parent.has(from) && parent.has(to));
  for (const { from, to } of drawn) parent.set(rootOf(from), rootOf(to));
  const parts = new Map<string, ConnectedPart>();
  for (const box of boxes) {
    const key = rootOf(box.id);
    const part = parts.get(key) ?? { boxes: [], edges: [] };
    part.boxes.push(box);
    parts.set(key, part);
  }
  for (const edge of drawn) parts.get(rootOf(edge.from))?.edges.push(edge);
  return [...parts.values()];
}

/** Lays out a connected part in ranks from left to right; a rank with many boxes is split into columns. */
function blockOf({ boxes, edges }: ConnectedPart): Block {
  const ranks: PlacedBox[][] = [];
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
  const placed: PlacedBox[] = [];
  let [x, width] = [0, 0];
  for (const [at, column] of columns.entries()) {
    let y = (height - (heights[at] ?? 0)) / 2;
    for (const box of column.boxes) {
      placed.push({ ...box, x, y });
      y += box.height + ROW_GAP;
    }
    width = x + Math.max(0, ...column.boxes.map((box) => box.width));
    x = width + column.gap;
  }
  return { boxes: placed, width, height };
}

/** Boxes per column that bring the block near the target ratio. */
function rowsFor(boxes: readonly Box[]): number {
  const area = boxes.reduce((sum, box) => sum + (box.width + RANK_GAP) * (box.height + ROW_GAP), 0);
  const tallest = Math.max(1, ...boxes.map((box) => box.height + ROW_GAP));
  return Math.max(4, Math.round(Math.sqrt(area / ASPECT_RATIO) / tallest));
}

/** Tries several page widths and keeps the result nearest to the target ratio. */
function packBlocks(blocks: readonly Block[]): TaskLayout {
  const minWidth = Math.max(0, ...blocks.map(({ width }) => width));
  const pageWidths = new Set([minWidth]);
  let totalWidth = -PART_GAP;
  for (const { width } of blocks) pageWidths.add(Math.max(minWidth, (totalWidth += width + PART_GAP)));
  const deviation = ({ width, height }: TaskLayout) =>
    Math.abs(Math.log(Math.max(1, width) / Math.max(1, height) / ASPECT_RATIO));
  return [...pageWidths]
    .map((pageWidth) => packIntoRows(pageWidth, blocks))
    .reduce((best, one) => (deviation(one) < deviation(best) ? one : best));
}

/** Places blocks in rows of at most this width, the tallest blocks first. */
function packIntoRows(maxWidth: number, blocks: readonly Block[]): TaskLayout {
  const placed: PlacedBox[] = [];
  let [x, y, rowHeight, widest] = [0, 0, 0, 0];
  for (const { boxes, width, height } of blocks) {
    if (x > 0 && x + width > maxWidth) [x, y, rowHeight] = [0, y + rowHeight + PART_GAP, 0];
    for (const box of boxes) placed.push({ ...box, x: box.x + x, y: box.y + y });
    widest = Math.max(widest, x + width);
    rowHeight = Math.max(rowHeight, height);
    x += width + PART_GAP;
  }
  return { boxes: placed, width: widest, height: y + rowHeight };
}
