import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type JobStatus =
  "QUEUED" | "CLAIMED" | "DOWNLOADING" | "STREAMING" | "DELIVERED" | "FAILED" | "CANCELLED" | "EXPIRED";
type UserStatus = "PENDING" | "ACTIVE" | "EXPIRED" | "BLOCKED";

type Texts = {
  running: string;
  runningEmpty: string;
  waiting: string;
  waitingEmpty: string;
  recent: string;
  recentEmpty: string;
  statuses: Readonly<Record<JobStatus, string>>;
  workers: string;
  workersEmpty: string;
  slots: (n: number) => string;
  stuck: string;
  stuckFor: (span: string) => string;
  attempt: (n: number) => string;
  of: (bytes: string, total: string) => string;
  notBefore: (span: string) => string;
  cancel: string;
  canceled: (title: string) => string;
  needsAdmin: string;
  paused: string;
  resumes: string;
  replaceBotToken: string;
  replaceStorageToken: string;
  pending: (n: number) => string;
  toUsers: string;
  perSecond: (bytes: string) => string;
  users: string;
  any: string;
  userStatus: Readonly<Record<UserStatus, string>>;
  approve: string;
  extend: string;
  block: string;
  requested: (ago: string) => string;
  until: (moment: string) => string;
  ended: (ago: string) => string;
  endsIn: (span: string) => string;
  decidedBy: (who: string) => string;
  extendTitle: (name: string) => string;
  approveTitle: (name: string) => string;
  days: string;
  daysHint: string;
  accessUntil: string;
  accessUntilHint: string;
  blockTitle: (name: string) => string;
  blockSure: string;
  approved: (name: string) => string;
  extended: (name: string) => string;
  blocked: (name: string) => string;
  noUsers: string;
  noUsersHint: string;
  noMatch: string;
  onlyAdmins: string;
  onlyAdminsHint: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    running: "Running",
    runningEmpty: "No file is being delivered right now.",
    waiting: "Waiting",
    waitingEmpty: "The queue is empty.",
    recent: "Recently finished",
    recentEmpty: "Nothing has been delivered yet.",
    statuses: {
      QUEUED: "queued",
      CLAIMED: "claimed",
      DOWNLOADING: "downloading",
      STREAMING: "sending",
      DELIVERED: "delivered",
      FAILED: "failed",
      CANCELLED: "canceled",
      EXPIRED: "expired",
    },
    workers: "Workers",
    workersEmpty: "No workers yet. Start one with: pawl delivery worker",
    slots: (n) => `up to ${n} at a time`,
    stuck: "stuck",
    stuckFor: (span) => `no heartbeat for ${span}`,
    attempt: (n) => `attempt ${n} of 3`,
    of: (bytes, total) => `${bytes} of ${total}`,
    notBefore: (span) => `next attempt in ${span}`,
    cancel: "Cancel",
    canceled: (title) => `“${title}” was canceled.`,
    needsAdmin: "The storage rejects the token",
    paused: "Deliveries are paused",
    resumes: "Queued files are delivered after a successful probe.",
    replaceStorageToken: "Set new tokens or keys of the storage and restart the bot and the workers.",
    replaceBotToken: "Set a new token in PAWL_TELEGRAM_BOT_TOKEN and restart the bot and the workers.",
    pending: (n) => en(n, { one: `${n} user requests access`, other: `${n} users request access` }),
    toUsers: "Review",
    perSecond: (bytes) => `${bytes}/s`,
    users: "Users",
    any: "All",
    userStatus: { PENDING: "pending", ACTIVE: "active", EXPIRED: "expired", BLOCKED: "blocked" },
    approve: "Approve",
    extend: "Extend",
    block: "Block",
    requested: (ago) => `requested ${ago}`,
    until: (moment) => `until ${moment}`,
    ended: (ago) => `ended ${ago}`,
    endsIn: (span) => `${span} left`,
    decidedBy: (who) => `by ${who}`,
    extendTitle: (name) => `Extend access for ${name}`,
    approveTitle: (name) => `Approve ${name}`,
    days: "Days",
    daysHint: "Default: the project's setting access_days.",
    accessUntil: "Until",
    accessUntilHint: "The end of the access, instead of days.",
    blockTitle: (name) => `Block ${name}?`,
    blockSure: "The user can no longer request files. Queued jobs will fail.",
    approved: (name) => `${name} has access.`,
    extended: (name) => `The access of ${name} was extended.`,
    blocked: (name) => `${name} is blocked.`,
    noUsers: "No users yet",
    noUsersHint: "Users who write to the bot for the first time appear here and wait for approval.",
    noMatch: "No users with this status.",
    onlyAdmins: "For admins",
    onlyAdminsHint: "Only admins can see and manage users.",
  },
  ru: {
    running: "Выполняются",
    runningEmpty: "Сейчас ничего не доставляется.",
    waiting: "В очереди",
    waitingEmpty: "Очередь пуста.",
    recent: "Недавно завершены",
    recentEmpty: "Пока ничего не доставлено.",
    statuses: {
      QUEUED: "в очереди",
      CLAIMED: "взят",
      DOWNLOADING: "скачивается",
      STREAMING: "отправляется",
      DELIVERED: "доставлен",
      FAILED: "не доставлен",
      CANCELLED: "отменён",
      EXPIRED: "истёк",
    },
    workers: "Воркеры",
    workersEmpty: "Воркеров пока нет. Запустите: pawl delivery worker",
    slots: (n) => `до ${n} одновременно`,
    stuck: "завис",
    stuckFor: (span) => `нет сигнала ${span}`,
    attempt: (n) => `попытка ${n} из 3`,
    of: (bytes, total) => `${bytes} из ${total}`,
    notBefore: (span) => `следующая попытка через ${span}`,
    cancel: "Отменить",
    canceled: (title) => `«${title}»: отменено.`,
    needsAdmin: "Хранилище отклоняет токен",
    paused: "Доставка приостановлена",
    resumes: "Файлы из очереди будут доставлены, когда проверка пройдёт.",
    replaceStorageToken: "Задайте новые токены или ключи хранилища и перезапустите бота и воркеры.",
    replaceBotToken: "Задайте новый токен в PAWL_TELEGRAM_BOT_TOKEN и перезапустите бота и воркеры.",
    pending: (n) =>
      ru(n, {
        one: `${n} пользователь просит доступ`,
        few: `${n} пользователя просят доступ`,
        other: `${n} пользователей просят доступ`,
      }),
    toUsers: "Рассмотреть",
    perSecond: (bytes) => `${bytes}/с`,
    users: "Пользователи",
    any: "Все",
    userStatus: { PENDING: "ждёт решения", ACTIVE: "активен", EXPIRED: "истёк", BLOCKED: "заблокирован" },
    approve: "Открыть доступ",
    extend: "Продлить",
    block: "Заблокировать",
    requested: (ago) => `запрос ${ago}`,
    until: (moment) => `до ${moment}`,
    ended: (ago) => `истёк ${ago}`,
    endsIn: (span) => `осталось ${span}`,
    decidedBy: (who) => `решение: ${who}`,
    extendTitle: (name) => `Продлить доступ: ${name}`,
    approveTitle: (name) => `Открыть доступ: ${name}`,
    days: "Дней",
    daysHint: "По умолчанию — настройка проекта access_days.",
    accessUntil: "До",
    accessUntilHint: "Конец доступа, вместо числа дней.",
    blockTitle: (name) => `Заблокировать: ${name}?`,
    blockSure: "Пользователь больше не сможет запрашивать файлы. Файлы из очереди не будут доставлены.",
    approved: (name) => `Доступ открыт: ${name}.`,
    extended: (name) => `Доступ продлён: ${name}.`,
    blocked: (name) => `Доступ закрыт: ${name}.`,
    noUsers: "Пользователей пока нет",
    noUsersHint: "Здесь появятся те, кто впервые напишет боту; доступ открывает администратор.",
    noMatch: "Пользователей с таким статусом нет.",
    onlyAdmins: "Для администраторов",
    onlyAdminsHint: "Пользователей видят и одобряют только администраторы.",
  },
};
