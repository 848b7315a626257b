import { DEMO_ROUTES, onWireOrNull } from "../../api/index.ts";
import type { DemoLanguage } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Caller, DemoState } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Manages the demo of a node. */
export type DemoHost = {
  state(): Promise<DemoState>;
  /** Returns a token of the demo's visitor. A demo in another language than the given one is replaced. */
  start(language?: DemoLanguage): Promise<{ kind: "started"; token: string } | Refusal>;
  stop(): Promise<void>;
  remove(): Promise<void>;
};

/** The demo: admins of the org `main` and its own visitor create, stop and remove it. */
export function serveDemo(host: DemoHost): RouteSet {
  const describe = async () => {
    const { state, language, made_at } = await host.state();
    return { state, org_id: "demo", language, made_at: onWireOrNull(made_at) };
  };
  return serve(DEMO_ROUTES, {
    getDemo: async ({ caller }) => demoRefusal(caller) ?? answer(200, await describe()),
    startDemo: async ({ caller, body: { language } }) => {
      const refused = demoRefusal(caller);
      if (refused) return refused;
      const started = await host.start(language);
      return isRefusal(started) ? started : answer(200, { ...(await describe()), token: started.token });
    },
    stopDemo: async ({ caller }) => {
      const refused = demoRefusal(caller);
      if (refused) return refused;
      await host.stop();
      return answer(200, await describe());
    },
    removeDemo: async ({ caller }) => {
      const refused = demoRefusal(caller);
      if (refused) return refused;
      await host.remove();
      return answer(204, undefined);
    },
  });
}

function demoRefusal({ org_id, actor: { project_ids } }: Caller): Refusal | null {
  if ((org_id === "main" || org_id === "demo") && project_ids === null) return null;
  return refuse("FORBIDDEN", "Only admins of the org main with access to every project can manage the demo.");
}
