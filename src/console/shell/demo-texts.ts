import type { LocalizedTexts } from "../texts/localized-texts.ts";

type DemoTexts = {
  title: string;
  invitation: string;
  start: string;
  starting: string;
  running: string;
  stopped: string;
  inside: string;
  insideStopped: string;
  enter: string;
  /** Creates the demo again, in the language of this text. */
  restart: string;
  resume: string;
  stop: string;
  remove: string;
  removing: string;
  leave: string;
  more: string;
};

export const demoTexts: LocalizedTexts<DemoTexts> = {
  en: {
    title: "See Pawl at work",
    invitation:
      "A demo company that makes lamps, with agents, a workshop in two shifts, couriers, coding agents and chats. All members are simulated and act through the API. The demo has its own org, does not touch your data, and can be removed with one click.",
    start: "Start the demo",
    starting: "Starting…",
    running: "The demo is running in its own org.",
    stopped: "The demo is stopped.",
    inside: "This is the demo. All other members are simulated; you can take part.",
    insideStopped: "The demo is stopped: the simulated members do nothing until you continue it.",
    enter: "Open the demo",
    restart: "Restart in English",
    resume: "Continue the demo",
    stop: "Stop",
    remove: "Remove the demo",
    removing: "Removing…",
    leave: "Back to your org",
    more: "More about the demo",
  },
  ru: {
    title: "Посмотрите, как работает Pawl",
    invitation:
      "Демонстрационная компания, которая делает светильники: агенты, цех в две смены, курьеры, агенты-программисты и чаты. Всех участников имитирует программа, они действуют через API. У демо своя организация; ваших данных оно не касается и удаляется одним нажатием.",
    start: "Запустить демо",
    starting: "Запускаем…",
    running: "Демо работает в своей организации.",
    stopped: "Демо остановлено.",
    inside: "Это демо. Остальных участников имитирует программа; вы можете участвовать.",
    insideStopped: "Демо остановлено: участники не действуют, пока вы его не продолжите.",
    enter: "Открыть демо",
    restart: "Начать заново по-русски",
    resume: "Продолжить демо",
    stop: "Остановить",
    remove: "Удалить демо",
    removing: "Удаляем…",
    leave: "Вернуться в свою организацию",
    more: "Ещё о демо",
  },
};
