import type { ComponentType } from "react";
import type { Task } from "./data/client.ts";

type Screen = () => Promise<{ default: ComponentType<{ lifecycle: string }> }>;
type Panel = () => Promise<{ default: ComponentType<{ task: Task }> }>;

/** What a lifecycle adds to the screens that all have, by the ids of its tabs. Loaded when it is looked at, and not before. */
type LifecycleScreens = {
  tabs: Readonly<Record<string, Screen>>;
  /** Shown on a task's page, above its details. */
  panel?: Panel;
  /** Whether that tells of the attempts, so that nothing else has to. */
  tellsAttempts?: boolean;
};

export function screensOf(lifecycle: string): LifecycleScreens {
  return SCREENS.get(lifecycle) ?? OF_ANY;
}

const graph: Screen = () => import("./screens/graph/graph.tsx");
const OF_ANY: LifecycleScreens = { tabs: { graph } };

const SCREENS = new Map<string, LifecycleScreens>(
  Object.entries({
    board: { tabs: { agents: () => import("./lifecycles/board/agents-screen.tsx"), graph } },
    planner: {
      tabs: {
        pool: () => import("./lifecycles/planner/pool-screen.tsx"),
        review: () => import("./lifecycles/planner/review-screen.tsx"),
        shifts: () => import("./lifecycles/planner/shifts-screen.tsx"),
        quality: () => import("./lifecycles/planner/quality-screen.tsx"),
        graph,
      },
    },
    delivery: {
      tabs: {
        queue: () => import("./lifecycles/delivery/queue-screen.tsx"),
        users: () => import("./lifecycles/delivery/users-screen.tsx"),
      },
      panel: () => import("./lifecycles/delivery/job-panel.tsx"),
    },
    code: {
      tabs: {
        workers: () => import("./lifecycles/code/workers-screen.tsx"),
        merges: () => import("./lifecycles/code/merges-screen.tsx"),
        graph,
      },
      panel: () => import("./lifecycles/code/attempts-panel.tsx"),
      tellsAttempts: true,
    },
    "bot-actions": { tabs: { chat: () => import("./lifecycles/bot-actions/chat-screen.tsx") } },
  }),
);
