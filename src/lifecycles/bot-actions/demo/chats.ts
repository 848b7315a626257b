/** What is said in a chat with the helper, and what the helper is busy with meanwhile. */
export type ChatTurn = {
  said: string;
  actionType: string;
  displayText: string | null;
  /** What the line becomes halfway, where it changes. */
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
    said: "Отправила голосовое с замечаниями по макету витрины, минут на шесть.",
    actionType: "transcribe_audio",
    displayText: null,
    later: "Готовим стенограмму… 4 из 6 минут",
    answer: "Стенограмма готова. Главное: «Маяк» подвинуть левее, ценник мельче, второй светильник убрать.",
  },
  {
    said: "Можно коротко, о чём договорились на встрече с салоном?",
    actionType: "summarize",
    displayText: null,
    answer: "Коротко: 24 «Маяка» до 28 ноября, 16 неделей позже, скидка 7 %, доставка наша.",
  },
  {
    said: "Нужна картинка: «Цапля» на тёмной стене, вечерний свет.",
    actionType: "generate_image",
    displayText: null,
    later: "Создаём изображение… вторая попытка, свет теплее",
    answer: "Готово: три варианта. Мне больше нравится второй, там тень мягче.",
  },
  {
    said: "Вот файл с размерами ниши, подойдёт ли подвес?",
    actionType: "process_file",
    displayText: "Читаем чертёж ниши…",
    answer: "Подойдёт: до потолка останется 14 см. Крепление лучше сместить на 3 см вправо.",
  },
  {
    said: "Где сейчас мой заказ 3107?",
    actionType: "track_order",
    displayText: "Спрашиваем службу доставки…",
    answer: "Заказ в Риге, завтра до 14:00 будет у вас. Код для курьера: 4471.",
  },
  {
    said: "Переведите, пожалуйста, инструкцию к диммеру на польский.",
    actionType: "process_file",
    displayText: "Переводим инструкцию…",
    later: "Переводим инструкцию… страница 5 из 8",
    answer: "Перевод готов, восемь страниц. Термины сверены с прошлой инструкцией.",
  },
  {
    said: "Сравните три ткани для абажура по цене и светостойкости.",
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
