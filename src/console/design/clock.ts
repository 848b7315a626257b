import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Map<() => void, number>();

/** The current time, updated by one timer for the whole page. */
export function useNow(everySeconds = 1): number {
  return useSyncExternalStore(
    (listener) => subscribe(listener, everySeconds),
    () => Math.floor(now / (everySeconds * 1_000)) * everySeconds * 1_000,
  );
}

function subscribe(listener: () => void, everySeconds: number): () => void {
  listeners.set(listener, everySeconds);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners.keys()) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
