import type { Spot } from "./arrange.ts";
import type { Tie } from "./ties.ts";

/** Where an arrow key leads: along a tie to the left or right, to the nearest box above or below. */
export function nextInDirection(
  ties: readonly Tie[],
  spots: ReadonlyMap<string, Spot>,
  id: string,
  key: string,
): string | null {
  const here = spots.get(id);
  if (!here) return null;
  const candidates =
    key === "ArrowLeft"
      ? ties.flatMap((tie) => (tie.task_id === id ? tie.blocker_id : []))
      : key === "ArrowRight"
        ? ties.flatMap((tie) => (tie.blocker_id === id ? tie.task_id : []))
        : [...spots.values()].filter((spot) => liesThere(here, spot, key)).map((spot) => spot.id);
  const distance = (other: string) => {
    const spot = spots.get(other);
    return spot
      ? Math.hypot((spot.x - here.x) * (key === "ArrowUp" || key === "ArrowDown" ? 4 : 1), spot.y - here.y)
      : Infinity;
  };
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

function liesThere(here: Spot, { y }: Spot, key: string): boolean {
  return key === "ArrowUp" ? y < here.y : y > here.y;
}
