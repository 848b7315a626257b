import type { JobStatus, UserStatus } from "../api.ts";

/** All texts of the bot. */
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
  foundSimilar: (query: string, total: number) => string;
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
  canceled: string;
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
  /** An outage, and what the admins can do. */
  outage: (reason: string, code: string) => string;
  failures: (total: number, since: string, title: string) => string;
  stats: string;
  stuckJobs: (jobs: number) => string;
  waitingUsers: (users: number) => string;
  worker: (id: string, age: string) => string;
  noWorkers: string;
  sourceWorks: string;
  audit: string;
  noAudit: string;
  syncing: string;
  synced: (files: number) => string;
  syncFailed: (code: string) => string;
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

const RETRY_RU = "Сорвавшиеся задания повторит pawl delivery retry --since <дата>.";
const RETRY_EN = "Then run pawl delivery retry --since <date> for the jobs that have failed.";

const ru: Texts = {
  requested:
    "Здравствуйте! Это закрытая библиотека. Запрос на доступ отправлен администратору. Я напишу, когда придёт ответ.",
  pending: "Запрос на доступ уже у администратора. Я напишу, когда придёт ответ.",
  expired: "Срок доступа к библиотеке закончился.",
  blocked: "Доступ к библиотеке закрыт.",
  askedAgain: "Запрос отправлен администратору. Я напишу, когда придёт ответ.",
  granted: (until) => `Доступ открыт до ${until}. Нажмите /start, чтобы открыть библиотеку.`,
  extended: (until) => `Доступ продлён до ${until}.`,
  ending: (until) => `Доступ к библиотеке заканчивается ${until}. Администратор уже знает.`,
  library: "Библиотека",
  emptyFolder: "Здесь пока пусто.",
  gone: "Этого больше нет в библиотеке.",
  file: (name, size) => (size === null ? `📄 ${name}` : `📄 ${name}\nРазмер: ${size}`),
  found: (query, total) => `🔎 «${query}»: найдено ${total}`,
  foundSimilar: (query, total) => `🔎 «${query}»: точных совпадений нет, похожих ${total}`,
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
    EXPIRED: "истекло время ожидания",
  },
  percent: (percent) => `${percent} %`,
  stuck: (age) => `завис, нет ответа ${age}; скоро попробуем снова`,
  retry: (attempt, tries) => `скоро попытка ${attempt} из ${tries}`,
  failed: (name, reason) => `❌ «${name}» доставить не удалось: ${reason}`,
  jobExpired: (name) =>
    `⌛ «${name}» слишком долго ждал в очереди и не отправлен. Попробуйте скачать его ещё раз.`,
  reasons: {
    NETWORK_TIMEOUT: "связь несколько раз прерывалась. Попробуйте позже.",
    NETWORK_RESET: "связь несколько раз прерывалась. Попробуйте позже.",
    RATE_LIMITED: "слишком много запросов сразу. Попробуйте позже.",
    CORRUPTED: "файл повредился при чтении. Попробуйте позже.",
    STORAGE_UNAVAILABLE: "библиотека временно недоступна. Попробуйте позже.",
    TELEGRAM_UNAVAILABLE: "Telegram временно недоступен. Попробуйте позже.",
    QUOTA_EXCEEDED: "исчерпан лимит хранилища. Попробуйте позже.",
    SOURCE_TOKEN_INVALID: "библиотека временно недоступна, администратор уже знает.",
    BOT_TOKEN_INVALID: "бот настроен неверно, сообщите администратору.",
    ACCESS_DENIED: "к этому файлу нет доступа.",
    FILE_NOT_FOUND: "файла больше нет в библиотеке.",
    FILE_TOO_LARGE: "файл слишком велик для отправки в Telegram.",
    FILE_EMPTY: "файл пуст.",
    USER_BLOCKED_BOT: "бот был заблокирован. Разблокируйте его и скачайте ещё раз.",
    USER_NOT_ACTIVE: "доступ к библиотеке закончился.",
    HEARTBEAT_TIMEOUT: "отправка несколько раз обрывалась. Попробуйте позже.",
    WORKER_STOPPED: "отправка несколько раз обрывалась. Попробуйте позже.",
    UNKNOWN: "что-то пошло не так. Попробуйте позже.",
  },
  canceled: "Отменено.",
  tooLateToCancel: "Отменить уже нельзя: файл отправляется.",
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
    `⚠️ Доставка приостановлена, хранилище отклоняет доступ: ${reason}. Задайте новые токены или ключи хранилища и перезапустите бота и воркеры. ${RETRY_RU}`,
  outage: (reason, code) =>
    `⚠️ Доставка приостановлена: ${reason}. ${code === "BOT_TOKEN_INVALID" ? "Задайте новый токен в PAWL_TELEGRAM_BOT_TOKEN и перезапустите бота и воркеры." : "Она продолжится сама, когда проверка пройдёт."} ${RETRY_RU}`,
  failures: (total, since, title) =>
    `⚠️ За час с ${since} не доставлено: ${total}${total === 1 ? ` («${title}»)` : `, например «${title}»`}`,
  stats: "Очередь:",
  stuckJobs: (jobs) => `Застряло: ${jobs}`,
  waitingUsers: (users) => `Ждут доступа: ${users}`,
  worker: (id, age) => `Воркер ${id}: сигнал ${age} назад`,
  noWorkers: "Воркеров нет: файлы не доставляются.",
  sourceWorks: "Хранилище: в порядке.",
  audit: "Последние доставки:",
  noAudit: "Доставок ещё не было.",
  syncing: "Обновляю каталог. Напишу, когда закончу.",
  synced: (files) => `Каталог обновлён, файлов и папок: ${files}.`,
  syncFailed: (code) => `Обновить каталог не удалось: ${code}. Показывается прежний.`,
  users: (total) => `Пользователей: ${total}`,
  noUsers: "Пользователей нет.",
  user: (name, id, status, until) => `${name} (${id}): ${status}${until === null ? "" : ` до ${until}`}`,
  userStatus: { PENDING: "ждёт ответа", ACTIVE: "доступ открыт", EXPIRED: "срок истёк", BLOCKED: "закрыт" },
  noSuchUser: (id) => `Пользователя ${id} нет.`,
  approveFirst: (id) => `У пользователя ${id} нет доступа: сначала /approve ${id}`,
  usage: (command) => `Формат: ${command}`,
  help: "/start — библиотека\n/status — ваши файлы\n/search слова — поиск, можно и без команды",
  adminHelp:
    "/users — пользователи\n/approve id [дней]\n/extend id [дней]\n/block id\n/stats — очередь и воркеры\n/audit — последние доставки\n/sync — обновить каталог",
  trouble: "Сейчас не получилось. Попробуйте ещё раз через минуту.",
  commands: { start: "библиотека", status: "ваши файлы", search: "поиск", help: "помощь" },
  size: (amount, unit) => `${amount} ${(["Б", "КБ", "МБ", "ГБ"] as const)[unit]}`,
  age: (amount, unit) => `${amount} ${{ seconds: "с", minutes: "мин", hours: "ч" }[unit]}`,
};

const en: Texts = {
  requested:
    "Hello! This is a private library. Your request for access was sent to the admin. You will get a message when it is answered.",
  pending: "Your request is waiting for the admin. You will get a message when it is answered.",
  expired: "Your access to the library has ended.",
  blocked: "You have no access to the library.",
  askedAgain: "Your request was sent to the admin. You will get a message when it is answered.",
  granted: (until) => `You have access until ${until}. Tap /start to open the library.`,
  extended: (until) => `Your access now lasts until ${until}.`,
  ending: (until) => `Your access to the library ends on ${until}. The admin has been notified.`,
  library: "Library",
  emptyFolder: "This folder is empty.",
  gone: "This is no longer in the library.",
  file: (name, size) => (size === null ? `📄 ${name}` : `📄 ${name}\nSize: ${size}`),
  found: (query, total) => `🔎 “${query}”: ${total} found`,
  foundSimilar: (query, total) => `🔎 “${query}”: no exact match, ${total} similar`,
  nothingFound: (query) => `🔎 Nothing found for “${query}”.`,
  howToSearch: "Send a few words of the name to search for.",
  queued: (name) => `✅ “${name}” is queued. It will be sent to this chat.\nProgress: /status`,
  alreadyQueued: "This file is already queued.",
  noJobs: "You have not downloaded anything yet.",
  jobs: "Your files:",
  status: {
    QUEUED: "queued",
    CLAIMED: "being prepared",
    DOWNLOADING: "being prepared",
    STREAMING: "being sent",
    DELIVERED: "delivered",
    FAILED: "not delivered",
    CANCELLED: "canceled",
    EXPIRED: "expired in the queue",
  },
  percent: (percent) => `${percent}%`,
  stuck: (age) => `stuck, no response for ${age}; will be retried soon`,
  retry: (attempt, tries) => `attempt ${attempt} of ${tries} starts soon`,
  failed: (name, reason) => `❌ “${name}” could not be delivered: ${reason}`,
  jobExpired: (name) =>
    `⌛ “${name}” waited too long in the queue and was not sent. Try downloading it again.`,
  reasons: {
    NETWORK_TIMEOUT: "the connection failed several times. Try later.",
    NETWORK_RESET: "the connection failed several times. Try later.",
    RATE_LIMITED: "too many requests at once. Try later.",
    CORRUPTED: "the file was damaged while reading. Try later.",
    STORAGE_UNAVAILABLE: "the library is temporarily unavailable. Try later.",
    TELEGRAM_UNAVAILABLE: "Telegram is temporarily unavailable. Try later.",
    QUOTA_EXCEEDED: "the limit of the storage is used up. Try later.",
    SOURCE_TOKEN_INVALID: "the library is temporarily unavailable; the admin has been notified.",
    BOT_TOKEN_INVALID: "the bot is configured incorrectly; contact the admin.",
    ACCESS_DENIED: "access to this file is denied.",
    FILE_NOT_FOUND: "the file is no longer in the library.",
    FILE_TOO_LARGE: "the file is too large for Telegram.",
    FILE_EMPTY: "the file is empty.",
    USER_BLOCKED_BOT: "the bot was blocked. Unblock it and download again.",
    USER_NOT_ACTIVE: "your access to the library has ended.",
    HEARTBEAT_TIMEOUT: "sending was interrupted several times. Try later.",
    WORKER_STOPPED: "sending was interrupted several times. Try later.",
    UNKNOWN: "something went wrong. Try later.",
  },
  canceled: "Canceled.",
  tooLateToCancel: "Too late to cancel: the file is being sent.",
  download: "⬇️ Download",
  downloadAgain: "⬇️ Download again",
  back: "⬅️ Back",
  earlier: "‹",
  later: "›",
  refresh: "🔄 Refresh",
  myJobs: "📦 My files",
  cancel: (name) => `✖️ Cancel: ${name}`,
  askAgain: "Request access",
  approve: "✅ Grant access",
  extend: "⏳ Extend",
  block: "🚫 Block",
  wantsAccess: (name, id) => `👤 ${name} (${id}) requests access.`,
  wantsMore: (name, id) => `👤 ${name} (${id}) requests an extension of access.`,
  userEnding: (name, id, until) => `⏳ The access of ${name} (${id}) ends on ${until}.`,
  sourceNeedsAdmin: (reason) =>
    `⚠️ Deliveries are paused, the storage denies access: ${reason}. Set new tokens or keys of the storage, and restart the bot and the workers. ${RETRY_EN}`,
  outage: (reason, code) =>
    `⚠️ Deliveries are paused: ${reason}. ${code === "BOT_TOKEN_INVALID" ? "Set a new token in PAWL_TELEGRAM_BOT_TOKEN, and restart the bot and the workers." : "They resume by themselves after a successful probe."} ${RETRY_EN}`,
  failures: (total, since, title) =>
    `⚠️ Not delivered in the hour from ${since}: ${total}${total === 1 ? ` (“${title}”)` : `, for example “${title}”`}`,
  stats: "Queue:",
  stuckJobs: (jobs) => `Stuck: ${jobs}`,
  waitingUsers: (users) => `Waiting for access: ${users}`,
  worker: (id, age) => `Worker ${id}: last heartbeat ${age} ago`,
  noWorkers: "No workers: no files are delivered.",
  sourceWorks: "Storage: works.",
  audit: "Latest deliveries:",
  noAudit: "No deliveries yet.",
  syncing: "Scanning the storage. You will get a message when it is done.",
  synced: (files) => `The catalogue is up to date: ${files} files and folders.`,
  syncFailed: (code) => `The scan failed: ${code}. The catalogue is unchanged where it could not be read.`,
  users: (total) => `Users: ${total}`,
  noUsers: "No users yet.",
  user: (name, id, status, until) => `${name} (${id}): ${status}${until === null ? "" : ` until ${until}`}`,
  userStatus: {
    PENDING: "waiting for approval",
    ACTIVE: "has access",
    EXPIRED: "access expired",
    BLOCKED: "blocked",
  },
  noSuchUser: (id) => `User ${id} was not found.`,
  approveFirst: (id) => `User ${id} has no access. Use /approve ${id} first.`,
  usage: (command) => `Usage: ${command}`,
  help: "/start: the library\n/status: your files\n/search words: search; words without a command work too",
  adminHelp:
    "/users: the users\n/approve id [days]\n/extend id [days]\n/block id\n/stats: queue and workers\n/audit: latest deliveries\n/sync: scan the storage",
  trouble: "Something went wrong. Try again in a minute.",
  commands: { start: "the library", status: "your files", search: "search", help: "help" },
  size: (amount, unit) => `${amount} ${(["B", "KB", "MB", "GB"] as const)[unit]}`,
  age: (amount, unit) => `${amount} ${{ seconds: "s", minutes: "min", hours: "h" }[unit]}`,
};

export const LANGUAGES = { ru, en } as const;
export type Language = keyof typeof LANGUAGES;

/** Formats a size with a unit. */
export function formatSize({ size }: Texts, language: Language, bytes: number): string {
  let [amount, unit] = [bytes, 0];
  while (amount >= 1024 && unit < 3) [amount, unit] = [amount / 1024, unit + 1];
  const digits = { maximumFractionDigits: unit === 0 || amount >= 100 ? 0 : 1 };
  return size(new Intl.NumberFormat(language, digits).format(amount), unit as 0 | 1 | 2 | 3);
}

export function formatAge({ age }: Texts, ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return age(seconds, "seconds");
  if (seconds < 7_200) return age(Math.round(seconds / 60), "minutes");
  return age(Math.round(seconds / 3_600), "hours");
}

export function formatMoment(language: Language, moment: number | string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(
    new Date(moment),
  );
}
