import { EVENT_ROUTES } from "../../api/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { TaskFeed } from "../streams/task-feed.ts";
import { serve, stream } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** The live stream of events. */
export function serveEvents(live: TaskFeed, engine: Engine): RouteSet {
  return serve(EVENT_ROUTES, {
    streamEvents: async ({ caller, query, identify }) => {
      const unknown = await engine.unknownName(query);
      if (unknown) return unknown;
      const { after, lifecycle = null, project_id = null, task_id } = query;
      const filter = { lifecycle, project_id, task_id: task_id?.toLowerCase() ?? null };
      const start = await live.startAfter(caller.org_id, after);
      return stream((response) => {
        live.start(response, { caller, identify, filter, start });
      });
    },
  });
}
