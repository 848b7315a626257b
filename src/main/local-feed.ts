import { setTimeout as sleep } from "node:timers/promises";
import { feedEventOnWire } from "../api/index.ts";
import type { FeedEvent, FeedQuery } from "../client/index.ts";
import type { Caller, Engine } from "../engine/index.ts";
import { followSignals } from "../std/follow-signals.ts";

const PAGE_SIZE = 200;
/** Finds commits that no notification announces. */
const POLL_INTERVAL_MS = 1_000;

/** Streams an org's events in the process of the engine, each once and in order, until the signal aborts. */
export async function* localFeed(
  engine: Engine,
  caller: Caller,
  { after, lifecycle, project_id, task_id, onConnection, onPosition }: FeedQuery,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent, void, undefined> {
  const { org_id } = caller;
  let wake = new AbortController();
  const unsubscribe = engine.commits.onCommitted((committed) => {
    if (committed === org_id) wake.abort();
  });
  try {
    const end = await engine.feedPosition(org_id);
    let position = Math.min(after ?? end, end);
    onConnection?.("open");
    while (!signal.aborted) {
      wake = new AbortController();
      const upTo = await engine.feedPosition(org_id);
      const walk = { after: position, limit: PAGE_SIZE, ...(lifecycle === undefined ? {} : { lifecycle }) };
      const rows = await engine.feed(caller, walk);
      for (const row of rows) {
        position = Number(row.position);
        if (project_id !== undefined && row.project_id !== project_id) continue;
        if (task_id !== undefined && row.task_id !== task_id.toLowerCase()) continue;
        yield { ...feedEventOnWire({ ...row, row_version: Number(row.row_version) }), position };
      }
      if (rows.length === PAGE_SIZE) continue;
      // Events up to here that were not returned are hidden from the caller or filtered out.
      position = Math.max(position, upTo);
      onPosition?.(position);
      const waiting = followSignals([wake.signal, signal]);
      await sleep(POLL_INTERVAL_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined);
      waiting.release();
    }
  } finally {
    unsubscribe();
  }
}
