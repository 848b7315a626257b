import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Status = "ready" | "claimed" | "in_progress" | "blocked" | "completed" | "failed";
type Outcome = "completed" | "retried" | "failed" | "blocked" | "interrupted" | "lost";

type Texts = {
  statuses: Readonly<Record<Status, string>>;
  attention: (n: number) => string;
  stuck: (n: number) => string;
  isStuck: string;
  atWork: string;
  atWorkEmpty: string;
  atWorkHint: string;
  output: string;
  outputOf: (title: string) => string;
  outputEmpty: string;
  attempt: (n: number) => string;
  attempts: string;
  noAttempts: string;
  underWay: string;
  outcomes: Readonly<Record<Outcome, string>>;
  exitCode: (n: number) => string;
  nobody: string;
  since: (span: string) => string;
  merges: string;
  mergesHint: string;
  mergesEmpty: string;
  mergesEmptyHint: string;
  failures: string;
  failuresEmpty: string;
  retry: string;
  retried: (title: string) => string;
  more: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    statuses: {
      ready: "ready",
      claimed: "claimed",
      in_progress: "in progress",
      blocked: "blocked",
      completed: "completed",
      failed: "failed",
    },
    attention: (n) => en(n, { one: `${n} task needs attention`, other: `${n} tasks need attention` }),
    stuck: (n) => en(n, { one: `${n} is stuck`, other: `${n} are stuck` }),
    isStuck: "stuck",
    atWork: "At work",
    atWorkEmpty: "No agent is at work",
    atWorkHint: "Start workers in a repository with: pawl code run --repo . --workers 3",
    output: "Output",
    outputOf: (title) => `Output of “${title}”`,
    outputEmpty: "Nothing was said yet.",
    attempt: (n) => `attempt ${n}`,
    attempts: "Attempts and their output",
    noAttempts: "Nobody has tried it yet.",
    underWay: "under way",
    outcomes: {
      completed: "merged",
      retried: "tried again",
      failed: "failed",
      blocked: "blocked",
      interrupted: "interrupted",
      lost: "worker lost",
    },
    exitCode: (n) => `exit code ${n}`,
    nobody: "nobody",
    since: (span) => `for ${span}`,
    merges: "Merges",
    mergesHint: "What has reached the target branch, the latest first.",
    mergesEmpty: "Nothing was merged yet",
    mergesEmptyHint: "Every task whose work passes is merged as one line of history, and stands here.",
    failures: "Failed",
    failuresEmpty: "Nothing has failed.",
    retry: "Try again",
    retried: (title) => `“${title}” is tried again, as a new task.`,
    more: "Show more",
  },
  ru: {
    statuses: {
      ready: "готово к работе",
      claimed: "взято",
      in_progress: "в работе",
      blocked: "ждёт",
      completed: "выполнено",
      failed: "не удалось",
    },
    attention: (n) =>
      ru(n, {
        one: `${n} задача требует внимания`,
        few: `${n} задачи требуют внимания`,
        other: `${n} задач требуют внимания`,
      }),
    stuck: (n) => ru(n, { one: `${n} зависла`, few: `${n} зависли`, other: `${n} зависли` }),
    isStuck: "зависла",
    atWork: "За работой",
    atWorkEmpty: "Ни один агент не работает",
    atWorkHint: "Запустите воркеров в репозитории: pawl code run --repo . --workers 3",
    output: "Вывод",
    outputOf: (title) => `Вывод: «${title}»`,
    outputEmpty: "Пока ничего не сказано.",
    attempt: (n) => `попытка ${n}`,
    attempts: "Попытки и их вывод",
    noAttempts: "Её ещё никто не пробовал.",
    underWay: "идёт",
    outcomes: {
      completed: "влито",
      retried: "повтор",
      failed: "не удалось",
      blocked: "ждёт",
      interrupted: "прервано",
      lost: "воркер пропал",
    },
    exitCode: (n) => `код выхода ${n}`,
    nobody: "никто",
    since: (span) => `уже ${span}`,
    merges: "Слияния",
    mergesHint: "Что дошло до целевой ветки, сначала последнее.",
    mergesEmpty: "Пока ничего не влито",
    mergesEmptyHint: "Каждая задача, чья работа прошла, вливается одной линией истории и стоит здесь.",
    failures: "Не удалось",
    failuresEmpty: "Неудач нет.",
    retry: "Попробовать снова",
    retried: (title) => `«${title}»: пробуем снова новой задачей.`,
    more: "Показать ещё",
  },
};
