import type { JobStatus, UserStatus } from "../api.ts";

/** Everything the bot says, in one place. */
export type Texts = {
  // Access
  requested: string;
  pending: string;
  expired: string;
  blocked: string;
  askedAgain: string;
  granted: (until: string) => string;
  extended: (until: string) => string;
  ending: (until: string) => string;
  // The library
  library: string;
  emptyFolder: string;
  gone: string;
  file: (name: string, size: string | null) => string;
  found: (query: string, total: number) => string;
  foundMore: (total: number) => string;
  nothingFound: (query: string) => string;
  howToSearch: string;
  // Jobs
  queued: (name: string) => string;
  alreadyQueued: string;
  noJobs: string;
  jobs: string;
  status: Record<JobStatus, string>;
  percent: (percent: number) => string;
  stuck: (age: string) => string;
  retry: (attempt: number, tries: number) => string;
  failed: (name: string, reason: string) => string;
  jobExpired: (name: string) => string;
  reasons: Record<string, string>;
  cancelled: string;
  tooLateToCancel: string;
  // Buttons
  download: string;
  downloadAgain: string;
  back: string;
  earlier: string;
  later: string;
  refresh: string;
  myJobs: string;
  cancel: (name: string) => string;
  askAgain: string;
  approve: string;
  extend: string;
  block: string;
  // For admins
  wantsAccess: (name: string, id: string) => string;
  wantsMore: (name: string, id: string) => string;
  userEnding: (name: string, id: string, until: string) => string;
  sourceNeedsAdmin: (reason: string) => string;
  users: (total: number) => string;
  noUsers: string;
  user: (name: string, id: string, status: string, until: string | null) => string;
  userStatus: Record<UserStatus, string>;
  noSuchUser: (id: string) => string;
  approveFirst: (id: string) => string;
  usage: (command: string) => string;
  // The rest
  help: string;
  adminHelp: string;
  trouble: string;
  commands: Record<"start" | "status" | "search" | "help", string>;
  size: (amount: string, unit: 0 | 1 | 2 | 3) => string;
  age: (amount: number, unit: "seconds" | "minutes" | "hours") => string;
};

const ru: Texts = {
  requested:
    "Здравствуйте! Это закрытая библиотека. Запрос на доступ отправлен администратору: как только он ответит, я напишу.",
  pending: "Запрос на доступ уже у администратора. Я напишу, когда он ответит.",
  expired: "Срок доступа к библиотеке закончился.",
  blocked: "Доступ к библиотеке закрыт.",
  askedAgain: "Запрос отправлен администратору. Я напишу, когда он ответит.",
  granted: (until) => `Доступ открыт до ${until}. Нажмите /start, чтобы открыть библиотеку.`,
  extended: (until) => `Доступ продлён до ${until}.`,
  ending: (until) => `Доступ к библиотеке заканчивается ${until}. Администратор предупреждён.`,
  library: "Библиотека",
  emptyFolder: "Здесь пока пусто.",
  gone: "Этого больше нет в библиотеке.",
  file: (name, size) => (size === null ? `📄 ${name}` : `📄 ${name}\nРазмер: ${size}`),
  found: (query, total) => `🔎 «${query}»: найдено ${total}`,
  foundMore: (total) => `Показаны первые из ${total}. Уточните запрос, чтобы увидеть остальное.`,
  nothingFound: (query) => `🔎 По запросу «${query}» ничего не найдено.`,
  howToSearch: "Напишите, что найти: несколько слов из названия.",
  queued: (name) => `✅ «${name}» в очереди. Файл придёт в этот чат.\nХод доставки: /status`,
  alreadyQueued: "Этот файл уже в очереди.",
  noJobs: "Вы пока ничего не скачивали.",
  jobs: "Ваши файлы:",
  status: {
    QUEUED: "в очереди",
    CLAIMED: "готовится",
    DOWNLOADING: "готовится",
    STREAMING: "отправляется",
    DELIVERED: "доставлен",
    FAILED: "не доставлен",
    CANCELLED: "отменён",
    EXPIRED: "не дождался очереди",
  },
  percent: (percent) => `${percent} %`,
  stuck: (age) => `застрял, нет вестей ${age}; скоро попробуем снова`,
  retry: (attempt, tries) => `попытка ${attempt} из ${tries} скоро начнётся`,
  failed: (name, reason) => `❌ «${name}» доставить не удалось: ${reason}`,
  jobExpired: (name) =>
    `⌛ «${name}» слишком долго ждал очереди и снят с доставки. Попробуйте скачать его ещё раз.`,
  reasons: {
    NETWORK_TIMEOUT: "связь несколько раз прерывалась. Попробуйте позже.",
    NETWORK_RESET: "связь несколько раз прерывалась. Попробуйте позже.",
    RATE_LIMITED: "слишком много запросов сразу. Попробуйте позже.",
    CORRUPTED: "файл повреждён при чтении. Попробуйте позже.",
    STORAGE_UNAVAILABLE: "библиотека временно недоступна. Попробуйте позже.",
    TELEGRAM_UNAVAILABLE: "Telegram временно недоступен. Попробуйте позже.",
    SOURCE_TOKEN_INVALID: "библиотека временно недоступна, администратор уже знает.",
    BOT_TOKEN_INVALID: "бот настроен неверно, сообщите администратору.",
    ACCESS_DENIED: "этот файл закрыт.",
    FILE_NOT_FOUND: "файла больше нет в библиотеке.",
    FILE_TOO_LARGE: "файл слишком велик для отправки в Telegram.",
    FILE_EMPTY: "файл пуст.",
    USER_BLOCKED_BOT: "бот был заблокирован. Разблокируйте его и скачайте ещё раз.",
    USER_NOT_ACTIVE: "доступ к библиотеке закончился.",
    HEARTBEAT_TIMEOUT: "отправка несколько раз обрывалась. Попробуйте позже.",
    WORKER_STOPPED: "отправка несколько раз обрывалась. Попробуйте позже.",
    UNKNOWN: "что-то пошло не так. Попробуйте позже.",
  },
  cancelled: "Отменено.",
  tooLateToCancel: "Уже нельзя отменить: файл в пути.",
  download: "⬇️ Скачать",
  downloadAgain: "⬇️ Скачать ещё раз",
  back: "⬅️ Назад",
  earlier: "‹",
  later: "›",
  refresh: "🔄 Обновить",
  myJobs: "📦 Мои файлы",
  cancel: (name) => `✖️ Отменить: ${name}`,
  askAgain: "Запросить доступ",
  approve: "✅ Открыть доступ",
  extend: "⏳ Продлить",
  block: "🚫 Закрыть доступ",
  wantsAccess: (name, id) => `👤 ${name} (${id}) просит доступ.`,
  wantsMore: (name, id) => `👤 ${name} (${id}) просит продлить доступ.`,
  userEnding: (name, id, until) => `⏳ У пользователя ${name} (${id}) доступ заканчивается ${until}.`,
  sourceNeedsAdmin: (reason) =>
    `⚠️ Хранилище не пускает: ${reason}. Доставка стоит, пока не будет нового токена.`,
  users: (total) => `Пользователей: ${total}`,
  noUsers: "Пользователей нет.",
  user: (name, id, status, until) => `${name} (${id}): ${status}${until === null ? "" : ` до ${until}`}`,
  userStatus: { PENDING: "ждёт ответа", ACTIVE: "доступ открыт", EXPIRED: "срок истёк", BLOCKED: "закрыт" },
  noSuchUser: (id) => `Пользователя ${id} нет.`,
  approveFirst: (id) => `У пользователя ${id} нет доступа: сначала /approve ${id}`,
  usage: (command) => `Так: ${command}`,
  help: "/start — библиотека\n/status — ваши файлы\n/search слова — поиск, можно и без команды",
  adminHelp: "/users — пользователи\n/approve id [дней]\n/extend id [дней]\n/block id",
  trouble: "Сейчас не получается. Попробуйте ещё раз через минуту.",
  commands: { start: "библиотека", status: "ваши файлы", search: "поиск", help: "помощь" },
  size: (amount, unit) => `${amount} ${(["Б", "КБ", "МБ", "ГБ"] as const)[unit]}`,
  age: (amount, unit) => `${amount} ${{ seconds: "с", minutes: "мин", hours: "ч" }[unit]}`,
};

const en: Texts = {
  requested:
    "Hello! This is a closed library. Your request has gone to the admin; I will write as soon as there is an answer.",
  pending: "Your request is with the admin. I will write when there is an answer.",
  expired: "Your access to the library has ended.",
  blocked: "Access to the library is closed.",
  askedAgain: "Your request has gone to the admin. I will write when there is an answer.",
  granted: (until) => `You have access until ${until}. Tap /start to open the library.`,
  extended: (until) => `Your access now lasts until ${until}.`,
  ending: (until) => `Your access to the library ends on ${until}. The admin has been told.`,
  library: "Library",
  emptyFolder: "Nothing here yet.",
  gone: "This is no longer in the library.",
  file: (name, size) => (size === null ? `📄 ${name}` : `📄 ${name}\nSize: ${size}`),
  found: (query, total) => `🔎 “${query}”: ${total} found`,
  foundMore: (total) => `These are the first of ${total}. Add a word to see others.`,
  nothingFound: (query) => `🔎 Nothing found for “${query}”.`,
  howToSearch: "Write what to look for: a few words of the name.",
  queued: (name) => `✅ “${name}” is queued. It will come into this chat.\nHow it goes: /status`,
  alreadyQueued: "This file is queued already.",
  noJobs: "You have not downloaded anything yet.",
  jobs: "Your files:",
  status: {
    QUEUED: "queued",
    CLAIMED: "being prepared",
    DOWNLOADING: "being prepared",
    STREAMING: "on its way",
    DELIVERED: "delivered",
    FAILED: "not delivered",
    CANCELLED: "cancelled",
    EXPIRED: "waited too long",
  },
  percent: (percent) => `${percent}%`,
  stuck: (age) => `stuck, not heard of for ${age}; it will be tried again soon`,
  retry: (attempt, tries) => `try ${attempt} of ${tries} will begin soon`,
  failed: (name, reason) => `❌ “${name}” could not be delivered: ${reason}`,
  jobExpired: (name) => `⌛ “${name}” waited too long and was taken off the queue. Try to download it again.`,
  reasons: {
    NETWORK_TIMEOUT: "the connection broke off several times. Try later.",
    NETWORK_RESET: "the connection broke off several times. Try later.",
    RATE_LIMITED: "too many requests at once. Try later.",
    CORRUPTED: "the file came damaged. Try later.",
    STORAGE_UNAVAILABLE: "the library is out of order for now. Try later.",
    TELEGRAM_UNAVAILABLE: "Telegram is out of order for now. Try later.",
    SOURCE_TOKEN_INVALID: "the library is out of order for now; the admin knows.",
    BOT_TOKEN_INVALID: "the bot is set up wrongly; tell the admin.",
    ACCESS_DENIED: "this file is closed.",
    FILE_NOT_FOUND: "the file is no longer in the library.",
    FILE_TOO_LARGE: "the file is too large for Telegram.",
    FILE_EMPTY: "the file is empty.",
    USER_BLOCKED_BOT: "the bot was blocked. Unblock it and download again.",
    USER_NOT_ACTIVE: "your access to the library has ended.",
    HEARTBEAT_TIMEOUT: "sending broke off several times. Try later.",
    WORKER_STOPPED: "sending broke off several times. Try later.",
    UNKNOWN: "something went wrong. Try later.",
  },
  cancelled: "Cancelled.",
  tooLateToCancel: "Too late to cancel: it is on its way.",
  download: "⬇️ Download",
  downloadAgain: "⬇️ Download again",
  back: "⬅️ Back",
  earlier: "‹",
  later: "›",
  refresh: "🔄 Refresh",
  myJobs: "📦 My files",
  cancel: (name) => `✖️ Cancel: ${name}`,
  askAgain: "Ask for access",
  approve: "✅ Give access",
  extend: "⏳ Extend",
  block: "🚫 Block",
  wantsAccess: (name, id) => `👤 ${name} (${id}) asks for access.`,
  wantsMore: (name, id) => `👤 ${name} (${id}) asks for more time.`,
  userEnding: (name, id, until) => `⏳ The access of ${name} (${id}) ends on ${until}.`,
  sourceNeedsAdmin: (reason) =>
    `⚠️ The storage does not let us in: ${reason}. Nothing is delivered until there is a new token.`,
  users: (total) => `Users: ${total}`,
  noUsers: "There are no users.",
  user: (name, id, status, until) => `${name} (${id}): ${status}${until === null ? "" : ` until ${until}`}`,
  userStatus: {
    PENDING: "waits for an answer",
    ACTIVE: "has access",
    EXPIRED: "time is over",
    BLOCKED: "blocked",
  },
  noSuchUser: (id) => `There is no user ${id}.`,
  approveFirst: (id) => `The user ${id} has no access: /approve ${id} first`,
  usage: (command) => `Like this: ${command}`,
  help: "/start: the library\n/status: your files\n/search words: search; plain words will do",
  adminHelp: "/users: the users\n/approve id [days]\n/extend id [days]\n/block id",
  trouble: "That does not work just now. Try again in a minute.",
  commands: { start: "the library", status: "your files", search: "search", help: "help" },
  size: (amount, unit) => `${amount} ${(["B", "KB", "MB", "GB"] as const)[unit]}`,
  age: (amount, unit) => `${amount} ${{ seconds: "s", minutes: "min", hours: "h" }[unit]}`,
};

export const LANGUAGES = { ru, en } as const;
export type Language = keyof typeof LANGUAGES;

/** A size as people read it. */
export function tellSize({ size }: Texts, language: Language, bytes: number): string {
  let [amount, unit] = [bytes, 0];
  while (amount >= 1024 && unit < 3) [amount, unit] = [amount / 1024, unit + 1];
  const digits = { maximumFractionDigits: unit === 0 || amount >= 100 ? 0 : 1 };
  return size(new Intl.NumberFormat(language, digits).format(amount), unit as 0 | 1 | 2 | 3);
}

export function tellAge({ age }: Texts, ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return age(seconds, "seconds");
  if (seconds < 7_200) return age(Math.round(seconds / 60), "minutes");
  return age(Math.round(seconds / 3_600), "hours");
}

export function tellMoment(language: Language, moment: number | string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(
    new Date(moment),
  );
}
