/** A box to be placed. */
export type Box = { id: string; width: number; height: number };
export type Edge = {
  id: string;
  from: string;
  to: string;
  /** What stands on it is this wide. */ labelWidth?: number;
};

type Placed = { id: string; x: number; y: number; width: number; height: number; rank: number };
/** How an edge runs: on to the next rank, over ranks between, or back. */
export type Route = {
  id: string;
  way: "on" | "over" | "back";
  /** Those that go round: how far out, from 0. */ lane: number;
  /** Where others of its rank stand in the way, it leaves, or comes, by the side. */
  leavesAside: boolean;
  comesAside: boolean;
};
export type Layout = { boxes: Placed[]; routes: Route[]; width: number; height: number };

const RANK_GAP = 96;
/** For the two ends of an arrow beside what stands on it. */
const LABEL_ROOM = 52;
const ROW_GAP = 26;
const SWEEPS = 6;

/** Places boxes in ranks from left to right along their edges; edges that lead back make no rank. */
export function layOut(boxes: readonly Box[], edges: readonly Edge[], { rankGap = RANK_GAP } = {}): Layout {
  const known = new Set(boxes.map(({ id }) => id));
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to);
  const back = backEdges(boxes, drawn);
  const onward = drawn.filter(({ id }) => !back.has(id));
  const ranks = ranksOf(boxes, onward);
  const rows = orderRows(boxes, onward, ranks);
  const gaps = rows.map((_, rank) =>
    onward
      .filter(({ from, to }) => ranks.get(from) === rank && ranks.get(to) === rank + 1)
      .reduce((gap, { labelWidth = 0 }) => Math.max(gap, labelWidth + LABEL_ROOM), rankGap),
  );
  const placed = place(rows, gaps);
  return { ...placed, routes: routesOf(drawn, ranks).map((route) => sided(route, drawn, placed.boxes)) };
}

function sided(route: Lane, edges: readonly Edge[], boxes: readonly Placed[]): Route {
  const { from, to } = edges.find(({ id }) => id === route.id) as Edge;
  const isBlocked = (id: string) => {
    const box = boxes.find((one) => one.id === id) as Placed;
    return boxes.some(({ rank, y }) => rank === box.rank && (route.way === "over" ? y < box.y : y > box.y));
  };
  const goesRound = route.way !== "on";
  return { ...route, leavesAside: goesRound && isBlocked(from), comesAside: goesRound && isBlocked(to) };
}

type Lane = Omit<Route, "leavesAside" | "comesAside">;

/** The short ones close by, the long ones further out; those that lie beside each other share a lane. */
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

/** Edges that lead to a box that is still being followed: without them there is no ring. In the order of the boxes. */
function backEdges(boxes: readonly Box[], edges: readonly Edge[]): Set<string> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  const follow = (id: string): void => {
    state.set(id, "open");
    for (const edge of leaving.get(id) ?? []) {
      const known = state.get(edge.to);
      if (known === "open") back.add(edge.id);
      else if (known === undefined) follow(edge.to);
    }
    state.set(id, "done");
  };
  for (const { id } of boxes) if (!state.has(id)) follow(id);
  return back;
}

/** As far from the beginning as the longest way there. */
function ranksOf(boxes: readonly Box[], edges: readonly Edge[]): Map<string, number> {
  const ranks = new Map(boxes.map(({ id }) => [id, 0]));
  for (const _ of boxes) {
    let changed = false;
    for (const { from, to } of edges) {
      const least = (ranks.get(from) ?? 0) + 1;
      if ((ranks.get(to) ?? 0) >= least) continue;
      ranks.set(to, least);
      changed = true;
    }
    if (!changed) break;
  }
  return ranks;
}

/** Boxes of a rank in the order of what they are tied to, so that few edges cross. */
function orderRows(
  boxes: readonly Box[],
  edges: readonly Edge[],
  ranks: ReadonlyMap<string, number>,
): Box[][] {
  const rows: Box[][] = [];
  for (const box of boxes) (rows[ranks.get(box.id) ?? 0] ??= []).push(box);
  const tied = new Map<string, string[]>();
  for (const { from, to } of edges) {
    tied.set(from, [...(tied.get(from) ?? []), to]);
    tied.set(to, [...(tied.get(to) ?? []), from]);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const at = new Map(
      rows.flatMap((row) => row.map((box, index) => [box.id, (index + 0.5) / row.length] as const)),
    );
    for (const row of rows) {
      const middle = (box: Box) => {
        const places = (tied.get(box.id) ?? []).map((id) => at.get(id) ?? 0.5);
        return places.length === 0
          ? (at.get(box.id) ?? 0.5)
          : places.reduce((sum, one) => sum + one, 0) / places.length;
      };
      const wanted = new Map(row.map((box) => [box.id, middle(box)]));
      row.sort((a, b) => (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0));
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
