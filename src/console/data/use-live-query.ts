import { useEffect } from "react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "../../client/index.ts";
import { keys } from "./keys.ts";
import { live } from "./live.ts";

/** `data` is undefined until the first reply; the previous reply stays while the next one loads. */
export type LiveQuery<T> = { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> };

/** Replies for a plugin's screens cost more than a task, so they are fetched at most this often. */
const MIN_INTERVAL_MS = 700;

/** Queries data again whenever a task of the lifecycle changes, and every `everyMs` for changes that cause no event. */
export function useLiveQuery<T>({
  lifecycle,
  key,
  ask,
  everyMs,
  enabled = true,
}: {
  lifecycle: string;
  key: readonly unknown[];
  ask: (signal: AbortSignal) => Promise<T>;
  everyMs?: number | false;
  enabled?: boolean;
}): LiveQuery<T> {
  const queryClient = useQueryClient();
  const queryKey = [...keys.all, "own", lifecycle, ...key];
  const name = JSON.stringify(queryKey);
  useEventsOf(lifecycle, name, () => {
    void queryClient.invalidateQueries({ queryKey });
  });
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** Refetches everything that a lifecycle's own screens show; for changes that cause no event. */
export function useRefetch(lifecycle: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [...keys.all, "own", lifecycle] });
}

/** Calls back once per burst of events, always after its last event. */
function useEventsOf(lifecycle: string, name: string, onEvents: () => void): void {
  useEffect(() => {
    let last: FeedEvent | undefined = live.events.at(-1);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let calledAt = 0;
    const stop = live.subscribe(() => {
      const fresh = live.events.slice(last === undefined ? 0 : live.events.lastIndexOf(last) + 1);
      last = live.events.at(-1);
      if (!fresh.some((event) => event.lifecycle === lifecycle)) return;
      timer ??= setTimeout(
        () => {
          timer = undefined;
          calledAt = Date.now();
          onEvents();
        },
        Math.max(0, calledAt + MIN_INTERVAL_MS - Date.now()),
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [lifecycle, name]);
}
