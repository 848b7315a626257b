const MEGABYTE = 1_048_576;

/** Lumen's storage: folders, and the files in each with their size in megabytes. */
export const FOLDERS: Readonly<Record<string, readonly (readonly [name: string, megabytes: number])[]>> = {
  Инструкции: [
    ["Инструкция по сборке «Маяк».pdf", 4.2],
    ["Инструкция по сборке «Цапля».pdf", 3.8],
    ["Подключение диммера.pdf", 1.1],
    ["Уход за шпоном.pdf", 0.7],
  ],
  Каталоги: [
    ["Каталог осень 2026.pdf", 48.6],
    ["Каталог для архитекторов.pdf", 61.3],
    ["Прайс-лист.xlsx", 0.4],
  ],
  "3D-модели": [
    ["Маяк.step", 22.9],
    ["Цапля.step", 31.4],
    ["Подвес Tern.step", 17.5],
  ],
  Видео: [
    ["Сборка за пять минут.mp4", 184.2],
    ["Как делают «Маяк».mp4", 312.7],
  ],
};

export function bytesOf(megabytes: number): number {
  return Math.round(megabytes * MEGABYTE);
}

/** Users of the bot; the first ones have access from the start. */
type User = readonly [id: string, name: string, username: string | null];
export const USERS: readonly [User, ...User[]] = [
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
];

export const RETRYABLE_ERRORS = [
  { code: "NETWORK_TIMEOUT", message: "storage: no response in time", retryable: true },
  { code: "STORAGE_UNAVAILABLE", message: "storage: the storage is unavailable (503)", retryable: true },
  {
    code: "RATE_LIMITED",
    message: "telegram: too many requests (429)",
    retryable: true,
    retry_after_seconds: 8,
  },
] as const;

export const FINAL_ERRORS = [
  { code: "FILE_NOT_FOUND", message: "storage: the file no longer exists (404)", retryable: false },
  { code: "USER_BLOCKED_BOT", message: "telegram: the user has blocked the bot (403)", retryable: false },
] as const;
