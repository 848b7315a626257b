import type { ComponentType } from "react";
import type { IconName } from "./design/icon.tsx";
import type { Task } from "./data/client.ts";
import type { Language } from "./texts/words.tsx";

/** What a lifecycle adds to the screens that all have. Loaded when it is looked at, and not before. */
export type LifecycleScreens = {
  /** Names of statuses and actions, where they should read better than the lifecycle's own words. */
  words?: Partial<Record<Language, Readonly<Record<string, string>>>>;
  /** Screens of its own: tabs beside board, table and lifecycle, each below `/lifecycles/<name>/<id>`. */
  tabs?: readonly {
    id: string;
    icon: IconName;
    title: Readonly<Record<Language, string>>;
    load: () => Promise<{ default: ComponentType<{ lifecycle: string }> }>;
  }[];
  /** Shown on a task's page, above its details. */
  panel?: () => Promise<{ default: ComponentType<{ task: Task }> }>;
};

type Tab = NonNullable<LifecycleScreens["tabs"]>[number];

const GRAPH: Tab = {
  id: "graph",
  icon: "rules",
  title: { en: "Graph", ru: "Граф" },
  load: () => import("./screens/graph/graph.tsx"),
};

/** By lifecycle; those without an entry have what all have. */
export const lifecycleScreens: Readonly<Record<string, LifecycleScreens>> = {
  board: {
    tabs: [
      {
        id: "agents",
        icon: "members",
        title: { en: "Agents", ru: "Агенты" },
        load: () => import("./lifecycles/board/agents-screen.tsx"),
      },
      GRAPH,
    ],
  },
  planner: {
    tabs: [
      {
        id: "pool",
        icon: "hand",
        title: { en: "Pool", ru: "Пул" },
        load: () => import("./lifecycles/planner/pool-screen.tsx"),
      },
      {
        id: "review",
        icon: "check",
        title: { en: "Review", ru: "Проверка" },
        load: () => import("./lifecycles/planner/review-screen.tsx"),
      },
      {
        id: "shifts",
        icon: "clock",
        title: { en: "Shifts", ru: "Смены" },
        load: () => import("./lifecycles/planner/shifts-screen.tsx"),
      },
      {
        id: "quality",
        icon: "alert",
        title: { en: "Quality", ru: "Качество" },
        load: () => import("./lifecycles/planner/quality-screen.tsx"),
      },
      GRAPH,
    ],
  },
  delivery: {
    tabs: [
      {
        id: "queue",
        icon: "down",
        title: { en: "Queue", ru: "Очередь" },
        load: () => import("./lifecycles/delivery/queue-screen.tsx"),
      },
      {
        id: "users",
        icon: "members",
        title: { en: "Users", ru: "Пользователи" },
        load: () => import("./lifecycles/delivery/users-screen.tsx"),
      },
    ],
    panel: () => import("./lifecycles/delivery/job-panel.tsx"),
  },
  code: {
    tabs: [
      {
        id: "workers",
        icon: "play",
        title: { en: "Workers", ru: "Воркеры" },
        load: () => import("./lifecycles/code/workers-screen.tsx"),
      },
      {
        id: "merges",
        icon: "check",
        title: { en: "Merges", ru: "Слияния" },
        load: () => import("./lifecycles/code/merges-screen.tsx"),
      },
      GRAPH,
    ],
    panel: () => import("./lifecycles/code/attempts-panel.tsx"),
  },
  "bot-actions": {
    tabs: [
      {
        id: "chat",
        icon: "docs",
        title: { en: "Chat", ru: "Чат" },
        load: () => import("./lifecycles/bot-actions/chat-screen.tsx"),
      },
    ],
  },
};
