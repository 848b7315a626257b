import type { LocalizedTexts } from "../../texts/localized-texts.ts";
import { pluralIn } from "../../texts/plural.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type TableTexts = {
  columns: string;
  resetColumns: string;
  width: (column: string) => string;
  project: string;
  creator: string;
  labels: string;
  attempt: string;
  lifecycle: string;
  id: string;
  /** The number of loaded tasks, and of all that match. */
  ofTotal: (loaded: string, total: string) => string;
  selectMatching: (n: number, shown: string) => string;
  selectFirst: (shown: string) => string;
  selecting: string;
  download: string;
  downloading: string;
  /** Shown when a download contains only some of the tasks. */
  downloadCut: (shown: string) => string;
  allTasks: string;
  allTasksHint: string;
  anyLifecycle: string;
  holder: string;
  anyHolder: string;
};

export const tableTexts: LocalizedTexts<TableTexts> = {
  en: {
    columns: "Columns",
    resetColumns: "Default columns",
    width: (column) => `Width of ${column}`,
    project: "Project",
    creator: "Creator",
    labels: "Labels",
    attempt: "Attempt",
    lifecycle: "Lifecycle",
    id: "ID",
    ofTotal: (loaded, total) => `${loaded} of ${total}`,
    selectMatching: (n, shown) =>
      en(n, { one: `Select the ${shown} matching task`, other: `Select all ${shown} matching tasks` }),
    selectFirst: (shown) => `Select the first ${shown} matching tasks`,
    selecting: "Loading the tasks…",
    download: "Download CSV",
    downloading: "Preparing…",
    downloadCut: (shown) => `The file contains the first ${shown} tasks. Filter the list to get the others.`,
    allTasks: "Tasks of all lifecycles",
    allTasksHint: "Choose a member to see what it is working on.",
    anyLifecycle: "All lifecycles",
    holder: "Working on it",
    anyHolder: "Anyone or no one",
  },
  ru: {
    columns: "Столбцы",
    resetColumns: "Столбцы по умолчанию",
    width: (column) => `Ширина: ${column}`,
    project: "Проект",
    creator: "Автор",
    labels: "Метки",
    attempt: "Попытка",
    lifecycle: "Жизненный цикл",
    id: "ID",
    ofTotal: (loaded, total) => `${loaded} из ${total}`,
    selectMatching: (n, shown) =>
      ru(n, {
        one: `Выбрать ${shown} подходящую задачу`,
        few: `Выбрать все ${shown} подходящие задачи`,
        other: `Выбрать все ${shown} подходящих задач`,
      }),
    selectFirst: (shown) => `Выбрать первые подходящие задачи: ${shown}`,
    selecting: "Загружаем задачи…",
    download: "Скачать CSV",
    downloading: "Готовим…",
    downloadCut: (shown) =>
      `В файле только первые задачи: ${shown}. Чтобы получить остальные, сузьте список.`,
    allTasks: "Задачи всех жизненных циклов",
    allTasksHint: "Выберите участника, чтобы увидеть, чем он занят.",
    anyLifecycle: "Все жизненные циклы",
    holder: "Исполняет",
    anyHolder: "Кто угодно или никто",
  },
};
