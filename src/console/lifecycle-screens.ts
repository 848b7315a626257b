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
