/** A refusal from the server, with its English detail. */
export type RefusalReply = { code: string; detail: string; params: Readonly<Record<string, unknown>> };

type Labels = { label: (status: string) => string; who: (label: string) => string };
type Params = RefusalReply["params"];

/** A refusal in Russian; null for an unknown code or missing parameters, then the server's English detail is shown. */
export function refusalInRussian({ code, params }: RefusalReply, labels: Labels): string | null {
  return Object.hasOwn(TEXTS_BY_CODE, code) ? (TEXTS_BY_CODE[code]?.(params, labels) ?? null) : null;
}

const text = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;
const always = (text: string) => () => text;

const TEXTS_BY_CODE: Readonly<Record<string, (params: Params, labels: Labels) => string | null>> = {
  ATTEMPTS_EXHAUSTED: always("Попыток не осталось."),
  ATTEMPTS_LEFT: always("Попытки ещё остались: повторите или отпустите задачу."),
  COMMENT_REQUIRED: always("Нужен комментарий: укажите причину."),
  CYCLIC_DEPENDENCY: always("Получился бы цикл: задачи ждали бы друг друга."),
  FORBIDDEN: ({ who, permission, roles }, labels) => {
    if (typeof who === "string") return `Это может сделать только: ${labels.who(who)}.`;
    if (typeof permission !== "string" || !Array.isArray(roles)) return null;
    return roles.length === 0
      ? `Нужно право ${permission}, а ролей у вас нет.`
      : `Нужно право ${permission}; ваши роли его не дают: ${roles.join(", ")}.`;
  },
  TOKEN_NOT_ROTATED: always("Этот токен нельзя заменить: создайте новый."),
  LINK_INVALID: always("Ссылка недействительна: она использована, истекла или неполна. Попросите новую."),
  INVALID_TRANSITION: ({ starts_from, status }, { label }) => {
    if (!Array.isArray(starts_from) || typeof status !== "string") return null;
    const starts = (starts_from as string[]).map((one) => `«${label(one)}»`).join(", ");
    return `Возможно только из статуса ${starts}; сейчас задача в статусе «${label(status)}».`;
  },
  LEASE_LOST: always("Аренда истекла: задачу уже мог взять другой."),
  INVALID_DATA: always("Правила задачи сохранили бы неверные данные: сообщите автору её жизненного цикла."),
  LEASE_TOKEN_REQUIRED: always("Нужен токен аренды: он есть у того, кто взял задачу."),
  NOT_DUE: always("Срок ещё не наступил."),
  NOT_RECOVERABLE: always("Повтор не исправит эту ошибку."),
  NOT_YET_AVAILABLE: always("Задача ещё недоступна: её время не наступило."),
  OPEN_HOLDS: always("Задача удерживается: сначала снимите удержания."),
  TASK_ALREADY_CLAIMED: ({ assignee_id }) =>
    `Задачу уже взял ${text(assignee_id) ?? "другой участник"}: выберите другую.`,
  UNRESOLVED_BLOCKERS: ({ open_blockers }) =>
    open_blockers === undefined
      ? null
      : `Сначала нужно закончить другие задачи: ${text(open_blockers) ?? ""}.`,
  VERSION_CONFLICT: always("Задача тем временем изменилась. Проверьте её и повторите."),
};
