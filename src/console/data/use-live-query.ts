import { useEffect } from "react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "../../client/index.ts";
import { keys } from "./keys.ts";
import { live } from "./live.ts";

/** `data` is undefined until the first answer, and the last answer stays while the next one is awaited. */
export type LiveQuery<T> = { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> };

/** Answers of a lifecycle's own cost more than a task does. */
const AT_MOST_EVERY_MS = 700;

/** An answer that is asked for anew whenever something happens to the lifecycle's tasks; and now and then, where not all that changes is an event. */
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

/** Asks anew for all that a lifecycle's screens show: after something was done that is no event. */
export function useRefetch(lifecycle: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [...keys.all, "own", lifecycle] });
}

/** Tells of a burst once, and never misses its end. */
function useEventsOf(lifecycle: string, name: string, tell: () => void): void {
  useEffect(() => {
    let last: FeedEvent | undefined = live.events.at(-1);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let toldAt = 0;
    const stop = live.subscribe(() => {
      const fresh = live.events.slice(last === undefined ? 0 : live.events.lastIndexOf(last) + 1);
      last = live.events.at(-1);
      if (!fresh.some((event) => event.lifecycle === lifecycle)) return;
      timer ??= setTimeout(
        () => {
          timer = undefined;
          toldAt = Date.now();
          tell();
        },
        Math.max(0, toldAt + AT_MOST_EVERY_MS - Date.now()),
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [lifecycle, name]);
}
