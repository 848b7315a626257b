import { useSyncExternalStore } from "react";

const EVERY_MS = 1_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Map<() => void, number>();

/** The time, for all who show how long something lasts; one clock for the whole page. */
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
    for (const tell of listeners.keys()) tell();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
