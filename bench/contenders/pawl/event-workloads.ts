import { setTimeout as pause } from "node:timers/promises";
import { buildServer } from "../../../src/server/server.ts";
import { openPawl } from "../../../src/main/index.ts";
import type { Pawl } from "../../../src/main/index.ts";
import { now } from "../../contender.ts";
import type { Workloads, Params } from "../../contender.ts";
import { ERRANDS } from "./errand.ts";
import { accepted, createErrands } from "./pawl-queue.ts";
import type { Tools } from "./pawl-queue.ts";

/** The token of the feed's readers. */
export const READERS_TOKEN = "bench-reader";

/** Workloads of a server whose feed is read, and of the process that commits the events. */
export function eventWorkloads({ pawl, caller }: Tools): Workloads {
  /** The server's engine, once it is started. */
  let committer: Pawl = pawl;
  return {
    /** Starts a server that other nodes notify of commits; `figures.port` is its port. */
    async startEventServer() {
      const times = { sweepSeconds: 0, reconcileSeconds: 0 };
      committer = await openPawl({ url: pawl.url, plugins: ERRANDS, hints: { listens: true }, ...times });
      const { directory } = committer;
      await directory.setAdminToken(caller.org_id, READERS_TOKEN);
      const server = await buildServer({ engine: committer.engine, directory, version: "0.0.0" });
      const address = await server.listen({ host: "127.0.0.1", port: 0 });
      return { done: 0, seconds: 0, figures: { port: Number(new URL(address).port) } };
    },
    /** Commits one event after the other; `figures` has the time at which each was known to be committed. */
    async commitEvents({ events = 0, pauseMs = 0 }: Params) {
      const [id = ""] = await createErrands(pawl, caller, 1);
      const figures: Record<string, number> = {};
      const started = now();
      for (let n = 0; n < events; n++) {
        const action = n % 2 === 0 ? "open" : "close";
        const { task } = accepted(await committer.perform(caller, { task_id: id, action }));
        figures[task.row_version] = now();
        await pause(pauseMs);
      }
      return { done: events, seconds: (now() - started) / 1_000, figures };
    },
  };
}
