import type { PlacedBox } from "./task-layout.ts";
import type { Dependency } from "./task-dependencies.ts";

/** The task that an arrow key leads to: along an edge to the left or right, to the nearest box above or below. */
export function neighbourInDirection(
  dependencies: readonly Dependency[],
  boxes: ReadonlyMap<string, PlacedBox>,
  id: string,
  key: string,
): string | null {
  const here = boxes.get(id);
  if (!here) return null;
  const candidates =
    key === "ArrowLeft"
      ? dependencies.flatMap((dependency) => (dependency.task_id === id ? dependency.blocker_id : []))
      : key === "ArrowRight"
        ? dependencies.flatMap((dependency) => (dependency.blocker_id === id ? dependency.task_id : []))
        : [...boxes.values()].filter((box) => isInDirection(here, box, key)).map((box) => box.id);
  const distance = (other: string) => {
    const box = boxes.get(other);
    return box
      ? Math.hypot((box.x - here.x) * (key === "ArrowUp" || key === "ArrowDown" ? 4 : 1), box.y - here.y)
      : Infinity;
  };
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

function isInDirection(here: PlacedBox, { y }: PlacedBox, key: string): boolean {
  return key === "ArrowUp" ? y < here.y : y > here.y;
}
