import Fastify from "fastify";
import { buildServer } from "../../../src/server/server.ts";
import type { Bouts } from "../../contender.ts";
import type { Tools } from "./errands.ts";

/** By which the callers of the bouts below are known. */
export const CALLERS_TOKEN = "bench-caller";

/** Pawl as a server that is asked to move tasks, and beside it a route that does nothing. */
export function boutsOfHttp({ pawl, by }: Tools): Bouts {
  return {
    /** Both listen, in one process; `figures` say where. */
    async openShop() {
      const { directory } = pawl;
      await directory.setAdminToken(by.org_id, CALLERS_TOKEN);
      await directory.changeMember(pawl.asSystem(by.org_id), "admin", { roles: ["admin", "worker"] });
      const server = await buildServer({ engine: pawl, directory, version: "0.0.0" });
      const bare = Fastify();
      let kept: unknown = {};
      bare.put("/answer", (request) => {
        kept = request.body;
        return {};
      });
      // The same bodies in and out: what is sent is parsed, what is answered is written anew each time.
      bare.post("/api/tasks/:id/transitions", () => kept);
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
