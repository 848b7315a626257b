import { useCallback, useEffect, useRef, useState } from "react";
import type { PointerEvent as ReactPointerEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { moveTargetsOf } from "../../tasks/move-targets.ts";
import type { MoveTarget } from "../../tasks/move-targets.ts";

/** The dragged card, the column under it, and its possible targets (null until loaded). */
export type Drag = { task: Task; over: string | null; targets: MoveTarget[] | null };

const THRESHOLD_PX = 6;
const EDGE_PX = 70;

/** Drags a card with a mouse or pen. Touch scrolls; for touch and keyboard each card has a menu. */
export function useDrag(
  lifecycle: Lifecycle | undefined,
  onDrop: (task: Task, target: MoveTarget | null) => void,
) {
  const [held, setHeld] = useState<{ task: Task; over: string | null } | null>(null);
  const ghost = useRef<HTMLDivElement>(null);
  const end = useRef<() => void>(() => undefined);
  const { data: explained } = useQuery({
    ...queries.actions(held?.task.id ?? ""),
    enabled: held !== null,
    // Permissions may have changed since the last request.
    staleTime: 0,
  });
  const targets =
    held && lifecycle && explained ? moveTargetsOf(lifecycle, held.task.status, explained) : null;
  const latest = useRef({ held, targets, onDrop });
  latest.current = { held, targets, onDrop };

  const grab = useCallback((event: ReactPointerEvent<HTMLElement>, task: Task) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const from = { x: event.clientX, y: event.clientY };
    const card = event.currentTarget;
    const grip = offsetIn(card, event);
    let dragging = false;
    const move = (moved: PointerEvent) => {
      if (!dragging && Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < THRESHOLD_PX) return;
      moved.preventDefault();
      if (!dragging) {
        dragging = true;
        setHeld({ task, over: null });
      }
      if (ghost.current) {
        const { style } = ghost.current;
        style.transform = `translate(${moved.clientX - grip.x}px, ${moved.clientY - grip.y}px) rotate(1.2deg)`;
        style.width = `${card.offsetWidth}px`;
      }
      scrollAtEdges(moved.clientX);
      const over = columnAt(moved.clientX, moved.clientY);
      setHeld((current) => (current && current.over !== over ? { ...current, over } : current));
    };
    const finish = (drop: boolean) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", cancel);
      window.removeEventListener("keydown", escape, true);
      if (!dragging) return;
      swallowClick();
      const { held: last, targets: lastTargets, onDrop: report } = latest.current;
      setHeld(null);
      if (drop && last?.over && last.over !== task.status)
        report(task, lastTargets?.find(({ status }) => status === last.over) ?? null);
    };
    const up = () => {
      finish(true);
    };
    const cancel = () => {
      finish(false);
    };
    const escape = (key: KeyboardEvent) => {
      if (key.key === "Escape") finish(false);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", cancel);
    window.addEventListener("keydown", escape, true);
    end.current = cancel;
  }, []);
  useEffect(
    () => () => {
      end.current();
    },
    [],
  );
  const drag: Drag | null = held && { ...held, targets };
  return { drag, grab, ghost };
}

function offsetIn(element: HTMLElement, { clientX, clientY }: { clientX: number; clientY: number }) {
  const box = element.getBoundingClientRect();
  return { x: clientX - box.left, y: clientY - box.top };
}

function columnAt(x: number, y: number): string | null {
  return document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-column]")?.dataset.column ?? null;
}

function scrollAtEdges(x: number): void {
  const columns = document.querySelector(".columns");
  const box = columns?.getBoundingClientRect();
  if (!columns || !box) return;
  if (x > box.right - EDGE_PX) columns.scrollLeft += 14;
  else if (x < box.left + EDGE_PX) columns.scrollLeft -= 14;
}

/** Prevents the click on the card's link that follows a drop. */
function swallowClick(): void {
  const swallow = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => {
    window.removeEventListener("click", swallow, { capture: true });
  });
}
