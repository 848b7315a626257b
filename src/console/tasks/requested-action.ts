import { useEffect, useRef } from "react";

type Listener = (action: string) => void;

/** By task: the panel that shows its actions. A task is shown once on a page. */
const panels = new Map<string, Listener>();

/** Starts an action as if its button on the task's page were pressed; nothing happens if the page is not open. */
export function requestAction(task_id: string, action: string): void {
  panels.get(task_id)?.(action);
}

/** Starts actions of a task that are requested elsewhere on the page. */
export function useRequestedActions(task_id: string, start: Listener): void {
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => {
    const listener: Listener = (action) => {
      latest.current(action);
    };
    panels.set(task_id, listener);
    return () => {
      if (panels.get(task_id) === listener) panels.delete(task_id);
    };
  }, [task_id]);
}
