/** A "no" as the server gives it: its words are English. */
export type Refused = { code: string; detail: string; params: Readonly<Record<string, unknown>> };

type Speech = { label: (status: string) => string; who: (label: string) => string };
type Params = Refused["params"];

/** A "no" in Russian; null where its code is not known, or says too little: then the server's own words are shown. */
export function refusalInRussian({ code, params }: Refused, speech: Speech): string | null {
  return Object.hasOwn(SAID, code) ? (SAID[code]?.(params, speech) ?? null) : null;
}

const text = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;
const always = (said: string) => () => said;

const SAID: Readonly<Record<string, (params: Params, speech: Speech) => string | null>> = {
  ATTEMPTS_EXHAUSTED: always("Попытки кончились."),
  ATTEMPTS_LEFT: always("Её ещё можно повторить: повторите или отпустите."),
  COMMENT_REQUIRED: always("Нужен комментарий: скажите почему."),
  CYCLIC_DEPENDENCY: always("Задачи ждали бы друг друга."),
  FORBIDDEN: ({ who, permission, roles }, speech) => {
    if (typeof who === "string") return `Это может только: ${speech.who(who)}.`;
    if (typeof permission !== "string" || !Array.isArray(roles)) return null;
    return roles.length === 0
      ? `Без ролей нет права ${permission}.`
      : `У роли ${roles.join(", ")} нет права ${permission}.`;
  },
  INVALID_TRANSITION: ({ starts_from, status }, { label }) => {
    if (!Array.isArray(starts_from) || typeof status !== "string") return null;
    const starts = (starts_from as string[]).map((one) => `«${label(one)}»`).join(", ");
    return `Начинается из ${starts}; задача сейчас «${label(status)}».`;
  },
  LEASE_LOST: always("Аренда окончена: задача уже может быть у другого."),
  LEASE_TOKEN_REQUIRED: always("Нужен токен аренды: его знает тот, кто взял задачу."),
  NOT_DUE: always("Срок ещё не наступил."),
  NOT_RECOVERABLE: always("Повтор не поможет."),
  NOT_YET_AVAILABLE: always("Её время ещё не пришло."),
  OPEN_HOLDS: always("Задача удерживается: сначала снимите удержания."),
  TASK_ALREADY_CLAIMED: ({ assignee_id }) =>
    `${text(assignee_id) ?? "Кто-то"} взял раньше: выберите другую задачу.`,
  UNRESOLVED_BLOCKERS: ({ open_blockers }) =>
    open_blockers === undefined
      ? null
      : `Сначала должны закончиться другие задачи: ${text(open_blockers) ?? ""}.`,
  VERSION_CONFLICT: always("Задача тем временем изменилась: посмотрите на неё ещё раз."),
};
