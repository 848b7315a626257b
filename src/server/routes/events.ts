import { EVENT_ROUTES } from "../../api/index.ts";
import type { TaskFeed } from "../streams/task-feed.ts";
import { serve, stream } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** What happens, as it happens. */
export function serveEvents(live: TaskFeed): RouteSet {
  return serve(EVENT_ROUTES, {
    streamEvents: async ({ by, query, recognise }) => {
      const { after, lifecycle = null, project_id = null, task_id } = query;
      const filter = { lifecycle, project_id, task_id: task_id?.toLowerCase() ?? null };
      const start = await live.startAfter(by.org_id, after);
      return stream((response) => {
        live.tell(response, { by, recognise, filter, start });
      });
    },
  });
}
