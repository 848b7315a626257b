import type { Texts } from "./en.ts";

/** Тексты палитры команд. */
export const palette: Texts["palette"] = {
  placeholder: "Страницы, задачи, участники и действия…",
  goTo: "Перейти",
  tasks: "Задачи",
  actions: "Действия",
  thisTask: "Эта задача",
  recent: "Недавно открытые",
  people: "Участники",
  views: "Сохранённые виды",
  tasksOf: (name) => `Задачи: ${name}`,
  shortcuts: "Сочетания клавиш",
  nothing: "Ничего не найдено",
  hint: "↑ ↓ выбрать, Enter открыть, Esc закрыть",
  themeLight: "Светлая тема",
  themeDark: "Тёмная тема",
  boardOf: (name) => `${name}: доска`,
  tableOf: (name) => `${name}: таблица`,
  rulesOf: (name) => `${name}: правила`,
  newTaskOf: (name) => `${name}: новая задача`,
  openTask: (id) => `Открыть задачу ${id}`,
};
