import { setTimeout as pause } from "node:timers/promises";
import { buildServer } from "../../../src/server/server.ts";
import { openPawl } from "../../../src/main/index.ts";
import type { Pawl } from "../../../src/main/index.ts";
import { now } from "../../contender.ts";
import type { Bouts, Terms } from "../../contender.ts";
import { errand } from "./errand.ts";
import { accepted, createErrands } from "./errands.ts";
import type { Tools } from "./errands.ts";

/** By which the readers of the bouts below are known. */
export const READERS_TOKEN = "bench-reader";

/** Pawl as a server whose events are read, and as one who commits them. */
export function boutsOfEvents({ pawl, by }: Tools): Bouts {
  /** Where there is a server, what it stands on. */
  let committer: Pawl = pawl;
  return {
    /** Listens, to readers and to other nodes; `figures.port` says where. */
    async openDoor() {
      const times = { sweepSeconds: 0, reconcileSeconds: 0 };
      committer = await openPawl({ url: pawl.url, lifecycles: [errand], hints: { hears: true }, ...times });
      const { directory } = committer;
      await directory.setAdminToken(by.org_id, READERS_TOKEN);
      const server = await buildServer({ engine: committer, directory, version: "0.0.0" });
      const address = await server.listen({ host: "127.0.0.1", port: 0 });
      return { done: 0, seconds: 0, figures: { port: Number(new URL(address).port) } };
    },
    /** One commit after the other; `figures` has when each was known to be committed, on the machine's clock. */
    async commitEvents({ events = 0, pauseMs = 0 }: Terms) {
      const [id = ""] = await createErrands(pawl, by, 1);
      const figures: Record<string, number> = {};
      const started = now();
      for (let n = 0; n < events; n++) {
        const action = n % 2 === 0 ? "open" : "close";
        const { task } = accepted(await committer.perform(by, { task_id: id, action }));
        figures[task.row_version] = now();
        await pause(pauseMs);
      }
      return { done: events, seconds: (now() - started) / 1_000, figures };
    },
  };
}
