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

/** What a lifecycle has to show; one of a user's own has what can be shown of any. */
export function screensOf(lifecycle: string): LifecycleScreens {
  return Object.hasOwn(SCREENS, lifecycle) ? (SCREENS[lifecycle] ?? OF_ANY) : OF_ANY;
}

const OF_ANY: LifecycleScreens = { tabs: [GRAPH] };

const SCREENS: Readonly<Record<string, LifecycleScreens>> = {
  board: {
    words: {
      ru: {
        NEW: "Новая",
        IN_PROGRESS: "В работе",
        BLOCKED: "Заблокирована",
        STUCK: "Застряла",
        DONE: "Выполнена",
        CANCELLED: "Отменена",
      },
    },
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
    words: {
      ru: {
        blocked: "Ждёт",
        available: "Свободна",
        assigned: "Назначена",
        in_progress: "В работе",
        submitted: "Сдана",
        done: "Выполнена",
        canceled: "Отменена",
      },
    },
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
    words: {
      ru: {
        QUEUED: "В очереди",
        CLAIMED: "Взята",
        DOWNLOADING: "Скачивается",
        STREAMING: "Отправляется",
        DELIVERED: "Доставлена",
        FAILED: "Не удалось",
        CANCELLED: "Отменена",
        EXPIRED: "Истекла",
      },
    },
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
    words: {
      ru: {
        ready: "Готова к работе",
        claimed: "Взята",
        in_progress: "В работе",
        blocked: "Ждёт",
        completed: "Выполнена",
        failed: "Не удалось",
      },
    },
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
    words: { ru: { processing: "Выполняется", done: "Готово", error: "Ошибка" } },
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
