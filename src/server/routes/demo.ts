import { DEMO_ROUTES, onWireOrNull } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { By, DemoState } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** The demo, as a node looks after it. */
export type DemoHost = {
  state(): Promise<DemoState>;
  /** Gives a token of the member who comes to look. */
  start(): Promise<{ kind: "started"; token: string } | Refusal>;
  stop(): Promise<void>;
  remove(): Promise<void>;
};

/** A demo is made, stopped and removed by whoever runs this Pawl, and by its own visitors. */
export function serveDemo(host: DemoHost): RouteSet {
  const told = async () => {
    const { state, made_at } = await host.state();
    return { state, org_id: "demo", made_at: onWireOrNull(made_at) };
  };
  return serve(DEMO_ROUTES, {
    getDemo: async ({ by }) => strangerRefusal(by) ?? answer(200, await told()),
    startDemo: async ({ by }) => {
      const refused = strangerRefusal(by);
      if (refused) return refused;
      const started = await host.start();
      return isRefusal(started) ? started : answer(200, { ...(await told()), token: started.token });
    },
    stopDemo: async ({ by }) => {
      const refused = strangerRefusal(by);
      if (refused) return refused;
      await host.stop();
      return answer(200, await told());
    },
    removeDemo: async ({ by }) => {
      const refused = strangerRefusal(by);
      if (refused) return refused;
      await host.remove();
      return answer(204, undefined);
    },
  });
}

function strangerRefusal({ org_id, actor: { project_ids } }: By): Refusal | null {
  if ((org_id === "main" || org_id === "demo") && project_ids === null) return null;
  return refuse("FORBIDDEN", "The demo is looked after by admins of the org main.");
}
