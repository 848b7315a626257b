import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type JobStatus =
  "QUEUED" | "CLAIMED" | "DOWNLOADING" | "STREAMING" | "DELIVERED" | "FAILED" | "CANCELLED" | "EXPIRED";
type UserStatus = "PENDING" | "ACTIVE" | "EXPIRED" | "BLOCKED";

type Texts = {
  inHand: string;
  inHandEmpty: string;
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
  cancelled: (title: string) => string;
  needsAdmin: string;
  pending: (n: number) => string;
  toUsers: string;
  perSecond: (bytes: string) => string;
  users: string;
  any: string;
  userStatus: Readonly<Record<UserStatus, string>>;
  approve: string;
  extend: string;
  block: string;
  asked: (ago: string) => string;
  until: (moment: string) => string;
  ended: (ago: string) => string;
  endsIn: (span: string) => string;
  decidedBy: (who: string) => string;
  extendTitle: (name: string) => string;
  approveTitle: (name: string) => string;
  days: string;
  daysHint: string;
  blockTitle: (name: string) => string;
  blockSure: string;
  approved: (name: string) => string;
  extended: (name: string) => string;
  blocked: (name: string) => string;
  noUsers: string;
  noUsersHint: string;
  noneSuch: string;
  onlyAdmins: string;
  onlyAdminsHint: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    inHand: "On their way",
    inHandEmpty: "No file is being delivered right now.",
    waiting: "Waiting",
    waitingEmpty: "Nobody waits for a file.",
    recent: "Lately",
    recentEmpty: "Nothing was delivered yet.",
    statuses: {
      QUEUED: "queued",
      CLAIMED: "taken",
      DOWNLOADING: "downloading",
      STREAMING: "sending",
      DELIVERED: "delivered",
      FAILED: "failed",
      CANCELLED: "cancelled",
      EXPIRED: "expired",
    },
    workers: "Workers",
    workersEmpty: "No worker has been heard of. Start one with: pawl delivery worker",
    slots: (n) => en(n, { one: `${n} at a time`, other: `${n} at a time` }),
    stuck: "stuck",
    stuckFor: (span) => `nothing heard for ${span}`,
    attempt: (n) => `try ${n} of 3`,
    of: (bytes, total) => `${bytes} of ${total}`,
    notBefore: (span) => `next try in ${span}`,
    cancel: "Cancel",
    cancelled: (title) => `“${title}” is cancelled.`,
    needsAdmin: "The storage does not let us in any more",
    pending: (n) => en(n, { one: `${n} person asks for access`, other: `${n} people ask for access` }),
    toUsers: "Decide",
    perSecond: (bytes) => `${bytes}/s`,
    users: "Users",
    any: "All",
    userStatus: { PENDING: "asks", ACTIVE: "active", EXPIRED: "over", BLOCKED: "blocked" },
    approve: "Approve",
    extend: "Extend",
    block: "Block",
    asked: (ago) => `asked ${ago}`,
    until: (moment) => `until ${moment}`,
    ended: (ago) => `ended ${ago}`,
    endsIn: (span) => `${span} left`,
    decidedBy: (who) => `by ${who}`,
    extendTitle: (name) => `Give ${name} more time`,
    approveTitle: (name) => `Let ${name} in`,
    days: "Days",
    daysHint: "As the project has it, unless given.",
    blockTitle: (name) => `Block ${name}?`,
    blockSure: "Files can be asked for no longer. What is queued fails when it is taken up.",
    approved: (name) => `${name} may ask for files.`,
    extended: (name) => `${name} has more time.`,
    blocked: (name) => `${name} is blocked.`,
    noUsers: "Nobody has asked yet",
    noUsersHint: "Whoever writes to the bot for the first time appears here, and waits for an admin.",
    noneSuch: "There is nobody like that.",
    onlyAdmins: "For admins",
    onlyAdminsHint: "Who may ask for files is seen and decided by admins alone.",
  },
  ru: {
    inHand: "В пути",
    inHandEmpty: "Сейчас ничего не доставляется.",
    waiting: "В очереди",
    waitingEmpty: "Никто не ждёт файлов.",
    recent: "Недавно",
    recentEmpty: "Пока ничего не доставлено.",
    statuses: {
      QUEUED: "в очереди",
      CLAIMED: "взят",
      DOWNLOADING: "скачивается",
      STREAMING: "отправляется",
      DELIVERED: "доставлен",
      FAILED: "не удалось",
      CANCELLED: "отменён",
      EXPIRED: "истёк",
    },
    workers: "Воркеры",
    workersEmpty: "Ни одного воркера не слышно. Запустите: pawl delivery worker",
    slots: (n) => `по ${n} сразу`,
    stuck: "завис",
    stuckFor: (span) => `нет вестей ${span}`,
    attempt: (n) => `попытка ${n} из 3`,
    of: (bytes, total) => `${bytes} из ${total}`,
    notBefore: (span) => `следующая попытка через ${span}`,
    cancel: "Отменить",
    cancelled: (title) => `«${title}»: отменено.`,
    needsAdmin: "Хранилище больше не пускает нас",
    pending: (n) =>
      ru(n, {
        one: `${n} человек просит доступ`,
        few: `${n} человека просят доступ`,
        other: `${n} человек просят доступ`,
      }),
    toUsers: "Решить",
    perSecond: (bytes) => `${bytes}/с`,
    users: "Пользователи",
    any: "Все",
    userStatus: { PENDING: "просит", ACTIVE: "активен", EXPIRED: "истёк", BLOCKED: "заблокирован" },
    approve: "Впустить",
    extend: "Продлить",
    block: "Заблокировать",
    asked: (ago) => `просьба ${ago}`,
    until: (moment) => `до ${moment}`,
    ended: (ago) => `истёк ${ago}`,
    endsIn: (span) => `осталось ${span}`,
    decidedBy: (who) => `решил ${who}`,
    extendTitle: (name) => `Продлить доступ: ${name}`,
    approveTitle: (name) => `Впустить: ${name}`,
    days: "Дней",
    daysHint: "Если не указать, как в проекте.",
    blockTitle: (name) => `Заблокировать: ${name}?`,
    blockSure: "Просить файлы больше нельзя. То, что в очереди, не будет доставлено.",
    approved: (name) => `${name} может просить файлы.`,
    extended: (name) => `Доступ продлён: ${name}.`,
    blocked: (name) => `Доступ закрыт: ${name}.`,
    noUsers: "Пока никто не просил",
    noUsersHint: "Кто впервые напишет боту, появится здесь и подождёт администратора.",
    noneSuch: "Таких нет.",
    onlyAdmins: "Для администраторов",
    onlyAdminsHint: "Кому можно просить файлы, видят и решают только администраторы.",
  },
};
