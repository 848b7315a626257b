import { setTimeout as pause } from "node:timers/promises";
import { attach, detach, type EmbeddedServer } from "./embedded-server.ts";
import { trimLog } from "./server-log.ts";

const TRIM_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 500;

/** Attaches to the server, and again (starting it if needed) whenever the connection is lost, until `end` is called. */
export async function keepAttached(
  server: EmbeddedServer,
): Promise<{ url: string; end: () => Promise<void> }> {
  let attachment = await attach(server);
  const { url, listening, paths } = attachment;
  // The client uses this address, so a restarted server must use the same one.
  const again = { ...server, paths, mayCreateCluster: false, options: { ...server.options, ...listening } };
  const trimming = setInterval(
    () => void trimLog(paths.log).catch(() => undefined),
    TRIM_INTERVAL_MS,
  ).unref();

  const leaving = new AbortController();
  const { signal } = leaving;
  const left = new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  const watching = (async () => {
    for (;;) {
      await Promise.race([attachment.lost, left]);
      if (signal.aborted) return;
      try {
        const lost = attachment.lockConnection;
        attachment = await attach(again, signal);
        await lost.end({ timeout: 0 });
      } catch {
        // Users of the client get the error there; here, retry until it works or `end` is called.
        await pause(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  })();

  return {
    url,
    end: async () => {
      clearInterval(trimming);
      leaving.abort();
      await watching;
      await detach(attachment);
    },
  };
}
