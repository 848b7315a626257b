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
  goOn: string;
  stop: string;
  remove: string;
  removing: string;
  leave: string;
};

export const demoTexts: LocalizedTexts<DemoTexts> = {
  en: {
    title: "See it at work",
    invitation:
      "A small maker of lamps with agents, a workshop in two shifts, couriers, coding agents and chats, all of them simulated and acting through the API. It lives in an org of its own, touches nothing of yours, and is removed in one click.",
    start: "Start the demo",
    starting: "The stage is being set…",
    running: "The demo is running, in an org of its own.",
    stopped: "There is a demo here that rests.",
    inside: "This is the demo: everybody here is simulated, and you may join in.",
    insideStopped: "The demo rests: nobody acts until it goes on.",
    enter: "Enter the demo",
    goOn: "Let it go on",
    stop: "Stop",
    remove: "Remove the demo",
    removing: "Being removed…",
    leave: "Back to your org",
  },
  ru: {
    title: "Посмотрите, как это работает",
    invitation:
      "Небольшая мастерская светильников: агенты, цех в две смены, курьеры, агенты-программисты и чаты. Все они ненастоящие и действуют через API. Демо живёт в своей организации, ваших данных не касается и удаляется одним нажатием.",
    start: "Запустить демо",
    starting: "Готовим сцену…",
    running: "Демо работает в своей организации.",
    stopped: "Здесь есть остановленное демо.",
    inside: "Это демо: все здесь ненастоящие, и вы можете участвовать.",
    insideStopped: "Демо остановлено: пока его не продолжат, никто не действует.",
    enter: "Войти в демо",
    goOn: "Продолжить",
    stop: "Остановить",
    remove: "Удалить демо",
    removing: "Удаляем…",
    leave: "Вернуться к себе",
  },
};
