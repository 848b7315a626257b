import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Status = "ready" | "claimed" | "in_progress" | "review" | "blocked" | "completed" | "failed";
type Outcome = "completed" | "review" | "retried" | "failed" | "blocked" | "stopped" | "interrupted" | "lost";

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
  outputNone: string;
  attempt: (n: number) => string;
  attempts: string;
  noAttempts: string;
  underWay: string;
  outcomes: Readonly<Record<Outcome, string>>;
  exitCode: (n: number) => string;
  noWorker: string;
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
  changes: string;
  filesChanged: (n: number) => string;
  fileChanges: Readonly<Record<"added" | "removed" | "renamed", string>>;
  diffTruncated: string;
  pullRequest: string;
  approve: string;
  requestChanges: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    statuses: {
      ready: "ready",
      claimed: "claimed",
      in_progress: "in progress",
      review: "in review",
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
    outputEmpty: "No output yet.",
    outputNone: "This attempt has no output.",
    attempt: (n) => `attempt ${n}`,
    attempts: "Attempts and their output",
    noAttempts: "No attempts yet.",
    underWay: "in progress",
    outcomes: {
      completed: "merged",
      review: "waits for review",
      retried: "retried",
      failed: "failed",
      blocked: "blocked",
      stopped: "stopped",
      interrupted: "interrupted",
      lost: "worker lost",
    },
    exitCode: (n) => `exit code ${n}`,
    noWorker: "no worker",
    since: (span) => `for ${span}`,
    merges: "Merges",
    mergesHint: "Work on the target branch, latest first.",
    mergesEmpty: "Nothing merged yet",
    mergesEmptyHint: "Completed work is merged into a linear history and appears here.",
    failures: "Failed",
    failuresEmpty: "No task has failed.",
    retry: "Retry",
    retried: (title) => `“${title}” is retried as a new task.`,
    more: "Show more",
    changes: "Changes",
    filesChanged: (n) => en(n, { one: `${n} file`, other: `${n} files` }),
    fileChanges: { added: "new", removed: "deleted", renamed: "renamed" },
    diffTruncated: "The rest of the diff is too long to show. The worker's repository has all of it.",
    pullRequest: "Pull request",
    approve: "Approve",
    requestChanges: "Request changes",
  },
  ru: {
    statuses: {
      ready: "готово к работе",
      claimed: "взято",
      in_progress: "в работе",
      review: "на проверке",
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
    outputEmpty: "Вывода пока нет.",
    outputNone: "У этой попытки нет вывода.",
    attempt: (n) => `попытка ${n}`,
    attempts: "Попытки и их вывод",
    noAttempts: "Попыток пока нет.",
    underWay: "идёт",
    outcomes: {
      completed: "влито",
      review: "ждёт проверки",
      retried: "повтор",
      failed: "не удалось",
      blocked: "ждёт",
      stopped: "остановлено",
      interrupted: "прервано",
      lost: "воркер пропал",
    },
    exitCode: (n) => `код выхода ${n}`,
    noWorker: "нет воркера",
    since: (span) => `уже ${span}`,
    merges: "Слияния",
    mergesHint: "Работа в целевой ветке, сначала последняя.",
    mergesEmpty: "Пока ничего не влито",
    mergesEmptyHint: "Готовая работа вливается в линейную историю и появляется здесь.",
    failures: "Не удалось",
    failuresEmpty: "Неудач нет.",
    retry: "Повторить",
    retried: (title) => `«${title}»: создана новая задача для повтора.`,
    more: "Показать ещё",
    changes: "Изменения",
    filesChanged: (n) => ru(n, { one: `${n} файл`, few: `${n} файла`, other: `${n} файлов` }),
    fileChanges: { added: "новый", removed: "удалён", renamed: "переименован" },
    diffTruncated: "Остальное слишком длинно. Все изменения есть в репозитории воркера.",
    pullRequest: "Пул-реквест",
    approve: "Одобрить",
    requestChanges: "Вернуть на доработку",
  },
};
