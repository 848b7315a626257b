/** A box to place. */
export type Box = { id: string; width: number; height: number };
export type Edge = {
  id: string;
  from: string;
  to: string;
  /** Width of the label. */ labelWidth?: number;
};

type Placed = { id: string; x: number; y: number; width: number; height: number; rank: number };
/** Route of an edge: on to the next rank, over ranks in between, or back. */
export type Route = {
  id: string;
  way: "on" | "over" | "back";
  /** Distance from the boxes of an edge that goes round, from 0. */ lane: number;
  /** True if other boxes of the rank are in the way, so that the edge leaves or enters at the side. */
  leavesAside: boolean;
  comesAside: boolean;
};
export type Layout = { boxes: Placed[]; routes: Route[]; width: number; height: number };

const RANK_GAP = 96;
/** Space for the two ends of an arrow beside its label. */
const LABEL_ROOM = 52;
const ROW_GAP = 26;
const SWEEPS = 6;

/** Places boxes in ranks from left to right along their edges; back edges add no rank. */
export function layOut(boxes: readonly Box[], edges: readonly Edge[], { rankGap = RANK_GAP } = {}): Layout {
  const known = new Set(boxes.map(({ id }) => id));
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to);
  const back = backEdges(boxes, drawn);
  const forward = drawn.filter(({ id }) => !back.has(id));
  const ranks = ranksOf(boxes, forward);
  const rows = orderRows(boxes, forward, ranks);
  const gaps = rows.map((_, rank) =>
    forward
      .filter(({ from, to }) => ranks.get(from) === rank && ranks.get(to) === rank + 1)
      .reduce((gap, { labelWidth = 0 }) => Math.max(gap, labelWidth + LABEL_ROOM), rankGap),
  );
  const placed = place(rows, gaps);
  return { ...placed, routes: routesOf(drawn, ranks).map((route) => withSides(route, drawn, placed.boxes)) };
}

function withSides(route: Lane, edges: readonly Edge[], boxes: readonly Placed[]): Route {
  const { from, to } = edges.find(({ id }) => id === route.id) as Edge;
  const isBlocked = (id: string) => {
    const box = boxes.find((one) => one.id === id) as Placed;
    return boxes.some(({ rank, y }) => rank === box.rank && (route.way === "over" ? y < box.y : y > box.y));
  };
  const goesRound = route.way !== "on";
  return { ...route, leavesAside: goesRound && isBlocked(from), comesAside: goesRound && isBlocked(to) };
}

type Lane = Omit<Route, "leavesAside" | "comesAside">;

/** Short edges get inner lanes, long edges outer ones; edges that do not overlap share a lane. */
function routesOf(edges: readonly Edge[], ranks: ReadonlyMap<string, number>): Lane[] {
  const rankOf = (id: string) => ranks.get(id) ?? 0;
  const spanOf = ({ from, to }: Edge) => rankOf(to) - rankOf(from);
  const taken = { on: [], over: [], back: [] } as Record<Route["way"], [low: number, high: number][][]>;
  const routes = edges
    .toSorted((a, b) => Math.abs(spanOf(a)) - Math.abs(spanOf(b)))
    .map((edge): Lane => {
      const span = spanOf(edge);
      const way = span === 1 ? "on" : span > 1 ? "over" : "back";
      const [low, high] = [rankOf(edge.from), rankOf(edge.to)].sort((a, b) => a - b) as [number, number];
      const lanes = taken[way];
      const free = lanes.findIndex((lane) => lane.every(([from, to]) => high <= from || low >= to));
      const lane = way === "on" ? 0 : free < 0 ? lanes.length : free;
      (lanes[lane] ??= []).push([low, high]);
      return { id: edge.id, way, lane };
    });
  return edges.map(({ id }) => routes.find((route) => route.id === id) as Lane);
}

/** Edges that close a cycle, found depth first in the order of the boxes. */
function backEdges(boxes: readonly Box[], edges: readonly Edge[]): Set<string> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const edge of leaving.get(id) ?? []) {
      const known = state.get(edge.to);
      if (known === "open") back.add(edge.id);
      else if (known === undefined) visit(edge.to);
    }
    state.set(id, "done");
  };
  for (const { id } of boxes) if (!state.has(id)) visit(id);
  return back;
}

/** The rank of a box is the length of the longest path to it. */
function ranksOf(boxes: readonly Box[], edges: readonly Edge[]): Map<string, number> {
  const ranks = new Map(boxes.map(({ id }) => [id, 0]));
  for (const _ of boxes) {
    let changed = false;
    for (const { from, to } of edges) {
      const minRank = (ranks.get(from) ?? 0) + 1;
      if ((ranks.get(to) ?? 0) >= minRank) continue;
      ranks.set(to, minRank);
      changed = true;
    }
    if (!changed) break;
  }
  return ranks;
}

/** Orders the boxes of each rank by their neighbours, so that few edges cross. */
function orderRows(
  boxes: readonly Box[],
  edges: readonly Edge[],
  ranks: ReadonlyMap<string, number>,
): Box[][] {
  const rows: Box[][] = [];
  for (const box of boxes) (rows[ranks.get(box.id) ?? 0] ??= []).push(box);
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const at = new Map(
      rows.flatMap((row) => row.map((box, index) => [box.id, (index + 0.5) / row.length] as const)),
    );
    for (const row of rows) {
      const middle = (box: Box) => {
        const positions = (neighbours.get(box.id) ?? []).map((id) => at.get(id) ?? 0.5);
        return positions.length === 0
          ? (at.get(box.id) ?? 0.5)
          : positions.reduce((sum, one) => sum + one, 0) / positions.length;
      };
      const targets = new Map(row.map((box) => [box.id, middle(box)]));
      row.sort((a, b) => (targets.get(a.id) ?? 0) - (targets.get(b.id) ?? 0));
    }
  }
  return rows.map((row) => [...row]);
}

function place(rows: readonly Box[][], gaps: readonly number[]): Pick<Layout, "boxes" | "width" | "height"> {
  const heights = rows.map((row) => row.reduce((sum, { height }) => sum + height + ROW_GAP, -ROW_GAP));
  const height = Math.max(0, ...heights);
  const boxes: Placed[] = [];
  let x = 0;
  for (const [rank, row] of rows.entries()) {
    const widest = Math.max(0, ...row.map(({ width }) => width));
    let y = (height - (heights[rank] ?? 0)) / 2;
    for (const box of row) {
      boxes.push({ ...box, x: x + (widest - box.width) / 2, y, rank });
      y += box.height + ROW_GAP;
    }
    x += widest + (rank < rows.length - 1 ? (gaps[rank] ?? 0) : 0);
  }
  return { boxes, width: x, height };
}
