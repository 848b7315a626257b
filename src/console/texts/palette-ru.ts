import type { Texts } from "./en.ts";

/** Тексты палитры команд. */
export const palette: Texts["palette"] = {
  placeholder: "Страницы, задачи и действия…",
  goTo: "Перейти",
  tasks: "Задачи",
  actions: "Действия",
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
