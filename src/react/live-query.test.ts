import { expect, test } from "vitest";
import type { LiveFeed } from "./live-feed.ts";
import { LiveQuery } from "./live-query.ts";

type Watcher = Parameters<LiveFeed<string>["watch"]>[0];

/** A query on a feed and on fetches that the test answers. */
function openQuery(merge?: (fetched: string[], shown: string[]) => string[]) {
  let watcher: Watcher | undefined;
  const fetches: ((answer: string[]) => void)[] = [];
  const feed = {
    watch: (one: Watcher) => {
      watcher = one;
      return () => undefined;
    },
  } as unknown as LiveFeed<string>;
  const query = new LiveQuery<string[], string>(
    {
      ask: () => new Promise((resolve) => fetches.push(resolve)),
      concerns: () => true,
      fold: (shown, event) => (shown.includes("work") ? [event] : shown),
      ...(merge && { merge }),
    },
    feed,
  );
  query.subscribe(() => undefined);
  return {
    shown: () => query.get().data,
    event: (text: string) => watcher?.onEvent(text),
    refetch: () => {
      query.refetch();
    },
    answer: async (answer: string[]) => {
      fetches.shift()?.(answer);
      await new Promise(setImmediate);
    },
  };
}

test.each([
  ["without merge, a fetched answer replaces the shown one", undefined, []],
  [
    "merge gets what is shown when the answer arrives, not when the fetch began",
    (_: string[], shown: string[]) => shown,
    ["failed"],
  ],
])("%s", async (_, merge, expected) => {
  const query = openQuery(merge);
  await query.answer(["work"]);
  query.refetch();
  query.event("failed");
  expect(query.shown()).toEqual(["failed"]);
  await query.answer([]);
  expect(query.shown()).toEqual(expected);
});
