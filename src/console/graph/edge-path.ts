import type { Route } from "./layout.ts";

type Ends = { sourceX: number; sourceY: number; targetX: number; targetY: number };

const FIRST_LANE_PX = 30;
const LANE_PX = 24;
/** Distance between lines that leave a box and lines that enter it. */
const APART_PX = 9;
/** Distance from the box of a line that leaves or enters at its side. */
const ASIDE_PX = 12;
const ASIDE_LANE_PX = 5;

/** Distance of the last of some lanes from the boxes. */
export function outermostLane(lanes: number): number {
  return FIRST_LANE_PX + LANE_PX * (lanes - 1);
}

/** Path of an arrow: a curve to the next rank, an arch over ranks in between, a trough below all boxes on the way back. */
export function edgePath(ends: Ends, route: Route, bounds: { top: number; bottom: number }) {
  const { sourceX, sourceY, targetX, targetY } = ends;
  const { way, lane, leavesAside, comesAside } = route;
  if (way === "on") {
    const bend = (targetX - sourceX) / 2;
    return {
      path: `M${sourceX},${sourceY} C${sourceX + bend},${sourceY} ${targetX - bend},${targetY} ${targetX},${targetY}`,
      labelX: (sourceX + targetX) / 2,
      labelY: (sourceY + targetY) / 2,
    };
  }
  const out = FIRST_LANE_PX + LANE_PX * lane;
  const level = way === "over" ? bounds.top - out : bounds.bottom + out;
  const aside = ASIDE_PX + ASIDE_LANE_PX * lane;
  const from = sourceX + (leavesAside ? aside : APART_PX);
  const to = targetX - (comesAside ? aside : APART_PX);
  const lean = Math.sign(to - from) * Math.min(26, Math.abs(to - from) / 3);
  const turn = (y: number) => y + Math.sign(level - y) * Math.max(0, Math.abs(level - y) - 22);
  const begin = leavesAside ? `M${sourceX},${sourceY} L${from},${sourceY}` : `M${from},${sourceY}`;
  const end = comesAside ? `L${to},${targetY} L${targetX},${targetY}` : `L${to},${targetY}`;
  return {
    path: [
      `${begin} L${from},${turn(sourceY)}`,
      `Q${from},${level} ${from + lean},${level}`,
      `L${to - lean},${level}`,
      `Q${to},${level} ${to},${turn(targetY)} ${end}`,
    ].join(" "),
    labelX: (from + to) / 2,
    labelY: level,
  };
}
