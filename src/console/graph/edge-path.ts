import type { Route } from "./layout.ts";

type Ends = { sourceX: number; sourceY: number; targetX: number; targetY: number };

const FIRST_LANE_PX = 30;
const LANE_PX = 24;
/** What leaves a box and what comes to it do not lie on each other. */
const APART_PX = 9;

/** The line of an arrow: straight on as a curve, over ranks between as an arch, back as a trough below all boxes. */
export function edgePath(ends: Ends, { way, lane }: Route, bounds: { top: number; bottom: number }) {
  const { sourceY, targetY } = ends;
  if (way === "on") {
    const { sourceX, targetX } = ends;
    const bend = (targetX - sourceX) / 2;
    return {
      path: `M${sourceX},${sourceY} C${sourceX + bend},${sourceY} ${targetX - bend},${targetY} ${targetX},${targetY}`,
      labelX: (sourceX + targetX) / 2,
      labelY: (sourceY + targetY) / 2,
    };
  }
  const sourceX = ends.sourceX + APART_PX;
  const targetX = ends.targetX - APART_PX;
  const out = FIRST_LANE_PX + LANE_PX * lane;
  const level = way === "over" ? bounds.top - out : bounds.bottom + out;
  const lean = Math.sign(targetX - sourceX) * Math.min(26, Math.abs(targetX - sourceX) / 3);
  const turn = (y: number) => y + Math.sign(level - y) * Math.max(0, Math.abs(level - y) - 22);
  return {
    path: [
      `M${sourceX},${sourceY} L${sourceX},${turn(sourceY)}`,
      `Q${sourceX},${level} ${sourceX + lean},${level}`,
      `L${targetX - lean},${level}`,
      `Q${targetX},${level} ${targetX},${turn(targetY)} L${targetX},${targetY}`,
    ].join(" "),
    labelX: (sourceX + targetX) / 2,
    labelY: level,
  };
}
