/** A question in a chat with the bot, the bot's action, and its answer. */
export type ChatTurn = {
  question: string;
  actionType: string;
  displayText: string | null;
  /** The displayText that replaces the first one halfway, if any. */
  later?: string;
  answer: string;
};

export const CHATS = [
  { chatId: "main", customer: "irina" },
  { chatId: "arhitektor-polden", customer: "pavel" },
  { chatId: "vozvrat-2214", customer: "sveta" },
] as const;

export const TURNS: readonly [ChatTurn, ...ChatTurn[]] = [
  {
    question: "Отправила голосовое с замечаниями по макету витрины, минут на шесть.",
    actionType: "transcribe_audio",
    displayText: null,
    later: "Готовим стенограмму… 4 из 6 минут",
    answer: "Стенограмма готова. Главное: «Маяк» подвинуть левее, ценник мельче, второй светильник убрать.",
  },
  {
    question: "Можно коротко, о чём договорились на встрече с салоном?",
    actionType: "summarize",
    displayText: null,
    answer: "Коротко: 24 «Маяка» до 28 ноября, 16 неделей позже, скидка 7 %, доставка наша.",
  },
  {
    question: "Нужна картинка: «Цапля» на тёмной стене, вечерний свет.",
    actionType: "generate_image",
    displayText: null,
    later: "Создаём изображение… вторая попытка, свет теплее",
    answer: "Готово: три варианта. Мне больше нравится второй, там тень мягче.",
  },
  {
    question: "Вот файл с размерами ниши, подойдёт ли подвес?",
    actionType: "process_file",
    displayText: "Читаем чертёж ниши…",
    answer: "Подойдёт: до потолка останется 14 см. Крепление лучше сместить на 3 см вправо.",
  },
  {
    question: "Где сейчас мой заказ 3107?",
    actionType: "track_order",
    displayText: "Спрашиваем службу доставки…",
    answer: "Заказ в Риге, завтра до 14:00 будет у вас. Код для курьера: 4471.",
  },
  {
    question: "Переведите, пожалуйста, инструкцию к диммеру на польский.",
    actionType: "process_file",
    displayText: "Переводим инструкцию…",
    later: "Переводим инструкцию… страница 5 из 8",
    answer: "Перевод готов, восемь страниц. Термины сверены с прошлой инструкцией.",
  },
  {
    question: "Сравните три ткани для абажура по цене и светостойкости.",
    actionType: "summarize",
    displayText: "Сравниваем ткани…",
    answer: "Лён дороже на 12 %, но держит цвет вдвое дольше. Для витрины советую его.",
  },
];

export const THANKS = ["Спасибо!", "Отлично, так и сделаем.", "Поняла, спасибо.", "То, что нужно."] as const;
export const FAILURES = [
  "Не получилось: файл повреждён. Пришлите его ещё раз, пожалуйста.",
  "Не вышло с первого раза, сервис не ответил. Попробую позже.",
] as const;
