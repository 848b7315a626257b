import type { ComponentType } from "react";
import type { Task } from "./data/client.ts";
import { lazyComponent } from "./loading/lazy-component.tsx";

/** What a lifecycle adds to the screens that all have, by the ids of its tabs. Loaded when it is looked at, and not before. */
type LifecycleScreens = {
  tabs: Readonly<Record<string, ComponentType<{ lifecycle: string }>>>;
  /** Shown on a task's page, above its details. */
  panel?: ComponentType<{ task: Task }>;
  /** Whether that tells of the attempts, so that nothing else has to. */
  tellsAttempts?: boolean;
};

export function screensOf(lifecycle: string): LifecycleScreens {
  return SCREENS.get(lifecycle) ?? OF_ANY;
}

const graph = lazyComponent(() => import("./screens/graph/graph.tsx"));
const OF_ANY: LifecycleScreens = { tabs: { graph } };

const SCREENS = new Map<string, LifecycleScreens>(
  Object.entries({
    board: {
      tabs: { agents: lazyComponent(() => import("../lifecycles/board/ui/agents-screen.tsx")), graph },
    },
    planner: {
      tabs: {
        pool: lazyComponent(() => import("../lifecycles/planner/ui/pool-screen.tsx")),
        review: lazyComponent(() => import("../lifecycles/planner/ui/review-screen.tsx")),
        shifts: lazyComponent(() => import("../lifecycles/planner/ui/shifts-screen.tsx")),
        quality: lazyComponent(() => import("../lifecycles/planner/ui/quality-screen.tsx")),
        graph,
      },
    },
    delivery: {
      tabs: {
        queue: lazyComponent(() => import("../lifecycles/delivery/ui/queue-screen.tsx")),
        users: lazyComponent(() => import("../lifecycles/delivery/ui/users-screen.tsx")),
      },
      panel: lazyComponent(() => import("../lifecycles/delivery/ui/job-panel.tsx")),
    },
    code: {
      tabs: {
        workers: lazyComponent(() => import("../lifecycles/code/ui/workers-screen.tsx")),
        merges: lazyComponent(() => import("../lifecycles/code/ui/merges-screen.tsx")),
        graph,
      },
      panel: lazyComponent(() => import("../lifecycles/code/ui/attempts-panel.tsx")),
      tellsAttempts: true,
    },
    "bot-actions": {
      tabs: { chat: lazyComponent(() => import("../lifecycles/bot-actions/ui/chat-screen.tsx")) },
    },
  }),
);
