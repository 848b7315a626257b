import { setTimeout as pause } from "node:timers/promises";
import { enter, leave, type EmbeddedServer } from "./embedded-server.ts";
import { trimLog } from "./server-log.ts";

const TRIM_EVERY_MS = 60_000;
const RETRY_AFTER_MS = 500;

/** Enters the server, and enters it again (starting it if need be) whenever the presence is lost, until it is ended. */
export async function stayPresent(
  server: EmbeddedServer,
): Promise<{ url: string; end: () => Promise<void> }> {
  let stay = await enter(server);
  const { url, listening, place } = stay;
  // The client knows this address, so a server that is started anew must take the same one.
  const again = { ...server, place, makesCluster: false, wish: { ...server.wish, ...listening } };
  const trimming = setInterval(() => void trimLog(place.log).catch(() => undefined), TRIM_EVERY_MS).unref();

  const leaving = new AbortController();
  const { signal } = leaving;
  const left = new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  const watching = (async () => {
    for (;;) {
      await Promise.race([stay.lost, left]);
      if (signal.aborted) return;
      try {
        const lost = stay.presence;
        stay = await enter(again, signal);
        await lost.end({ timeout: 0 });
      } catch {
        // Whoever uses the client meets the reason there; here it is tried until it works or nobody wants it any more.
        await pause(RETRY_AFTER_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  })();

  return {
    url,
    end: async () => {
      clearInterval(trimming);
      leaving.abort();
      await watching;
      await leave(stay);
    },
  };
}
