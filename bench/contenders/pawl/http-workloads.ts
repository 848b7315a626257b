import Fastify from "fastify";
import { buildServer } from "../../../src/server/server.ts";
import type { Workloads } from "../../contender.ts";
import type { Tools } from "./pawl-queue.ts";

/** The token of the HTTP callers. */
export const CALLERS_TOKEN = "bench-caller";

/** Pawl as an HTTP server, and beside it a bare route that does nothing. */
export function httpWorkloads({ pawl, caller }: Tools): Workloads {
  return {
    /** Starts both in one process; `figures` has their ports. */
    async startHttpServer() {
      const { directory } = pawl;
      await directory.setAdminToken(caller.org_id, CALLERS_TOKEN);
      await directory.changeMember(pawl.asSystem(caller.org_id), "admin", { roles: ["admin", "worker"] });
      const server = await buildServer({ engine: pawl.engine, directory, version: "0.0.0" });
      const bare = Fastify();
      let answer: unknown = {};
      bare.put("/answer", (request) => {
        answer = request.body;
        return {};
      });
      // The same request and response bodies as Pawl's, parsed and serialized each time.
      bare.post("/api/tasks/:id/transitions", () => answer);
      const portOf = (address: string) => Number(new URL(address).port);
      const listen = { host: "127.0.0.1", port: 0 };
      return {
        done: 0,
        seconds: 0,
        figures: { pawl: portOf(await server.listen(listen)), bare: portOf(await bare.listen(listen)) },
      };
    },
  };
}
