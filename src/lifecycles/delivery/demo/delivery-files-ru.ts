import type { DeliveryContent } from "./delivery-files.ts";

export const DELIVERY_RU: DeliveryContent = {
  names: {
    olga: "Ольга Смирнова",
    "lumen-bot": "Бот «Люмена»",
    "courier-1": "Курьер 1",
    "courier-2": "Курьер 2",
  },
  folders: { manuals: "Инструкции", catalogs: "Каталоги", models: "3D-модели", videos: "Видео" },
  files: {
    beaconManual: "Инструкция по сборке «Маяк».pdf",
    heronManual: "Инструкция по сборке «Цапля».pdf",
    dimmerManual: "Подключение диммера.pdf",
    veneerCare: "Уход за шпоном.pdf",
    autumnCatalog: "Каталог осень 2026.pdf",
    architectsCatalog: "Каталог для архитекторов.pdf",
    priceList: "Прайс-лист.xlsx",
    beaconModel: "Маяк.step",
    heronModel: "Цапля.step",
    ternModel: "Крачка.step",
    assemblyVideo: "Сборка за пять минут.mp4",
    workshopVideo: "Как делают «Маяк».mp4",
  },
  users: [
    ["410223871", "Анна Белова", "anna_belova"],
    ["533190245", "Дмитрий Соколов", "dsokolov"],
    ["298844107", "Мария Егорова", "mashaegorova"],
    ["671502938", "Студия «Полдень»", "polden_studio"],
    ["184420993", "Илья Громов", null],
    ["720031568", "Екатерина Лис", "katya_lis"],
    ["355718204", "Артём Зуев", "azuev"],
    ["902417735", "Салон «Светло»", "svetlo_shop"],
    ["447190826", "Юлия Кравец", null],
    ["813305172", "Роман Тихий", "r_tikhiy"],
  ],
  errors: {
    NETWORK_TIMEOUT: "Хранилище не ответило вовремя",
    STORAGE_UNAVAILABLE: "Хранилище недоступно (503)",
    RATE_LIMITED: "Telegram: слишком много запросов (429)",
    FILE_NOT_FOUND: "Файла больше нет в хранилище (404)",
    USER_BLOCKED_BOT: "Пользователь заблокировал бота (403)",
  },
};
