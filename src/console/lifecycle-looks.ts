import type { Language } from "./texts/words.tsx";

/** How a lifecycle is spoken of, and the ways to look at it that are its own. Apart from the screens: all screens need it. */
export type LifecycleLook = {
  /** Names of statuses, where they should read better than the lifecycle's own words. */
  words?: Partial<Record<Language, Readonly<Record<string, string>>>>;
  /** What it is for, where the definition says it in another language. */
  summary?: Partial<Record<Language, string>>;
  /** Beside board, table and lifecycle, each below `/lifecycles/<name>/<id>`. */
  tabs: readonly { id: string; title: Readonly<Record<Language, string>> }[];
};

/** One of a user's own is looked at as any can be. */
export function lookOf(lifecycle: string): LifecycleLook {
  return LOOKS.get(lifecycle) ?? { tabs: [GRAPH] };
}

const GRAPH = { id: "graph", title: { en: "Graph", ru: "Граф" } };

const LOOKS = new Map<string, LifecycleLook>(
  Object.entries({
    board: {
      summary: { ru: "Задачи ИИ-агентов и людей с общей доской" },
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
      tabs: [{ id: "agents", title: { en: "Agents", ru: "Агенты" } }, GRAPH],
    },
    planner: {
      summary: { ru: "Производство: пул, смены, разряды, проверка, дефекты, контроль качества" },
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
        { id: "pool", title: { en: "Pool", ru: "Пул" } },
        { id: "review", title: { en: "Review", ru: "Проверка" } },
        { id: "shifts", title: { en: "Shifts", ru: "Смены" } },
        { id: "quality", title: { en: "Quality", ru: "Качество" } },
        GRAPH,
      ],
    },
    delivery: {
      summary: { ru: "Файлы из облачного хранилища в чат Telegram" },
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
        { id: "queue", title: { en: "Queue", ru: "Очередь" } },
        { id: "users", title: { en: "Users", ru: "Пользователи" } },
      ],
    },
    code: {
      summary: { ru: "Задачи агентов-программистов в рабочих деревьях git" },
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
        { id: "workers", title: { en: "Workers", ru: "Воркеры" } },
        { id: "merges", title: { en: "Merges", ru: "Слияния" } },
        GRAPH,
      ],
    },
    "bot-actions": {
      summary: { ru: "Чем сейчас заняты боты в чатах" },
      words: { ru: { processing: "Выполняется", done: "Готово", error: "Ошибка" } },
      tabs: [{ id: "chat", title: { en: "Chat", ru: "Чат" } }],
    },
  }),
);
