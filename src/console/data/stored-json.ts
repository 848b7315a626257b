import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useMe } from "./queries.ts";

const listeners = new Set<() => void>();
/** Values of a browser that stores nothing. */
const inMemory = new Map<string, string>();

window.addEventListener("storage", notify);

/** A value that the browser stores for the signed-in member, such as the columns of a table. Unreadable values are ignored. */
export function useStoredJson<Value>(
  name: string,
  { isValid, otherwise }: { isValid: (value: unknown) => value is Value; otherwise: Value },
): [Value, (value: Value) => void] {
  const { org_id, id } = useMe();
  const key = `pawl.${name}.${org_id}.${id}`;
  const text = useSyncExternalStore(subscribe, () => read(key));
  const value = useMemo(() => parse(text, isValid) ?? otherwise, [text]);
  const change = useCallback(
    (next: Value) => {
      write(key, JSON.stringify(next));
    },
    [key],
  );
  return [value, change];
}

function parse<Value>(text: string | null, isValid: (value: unknown) => value is Value): Value | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isValid(value) ? value : null;
  } catch {
    return null;
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? inMemory.get(key) ?? null;
  } catch {
    return inMemory.get(key) ?? null;
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    inMemory.set(key, text);
  }
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
