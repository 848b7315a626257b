type Names = Readonly<Record<string, string>>;

/** Button labels of common actions. Names specific to one lifecycle are in its plugin. */
export const ACTIONS: Names = {
  assign: "Назначить",
  block: "Заблокировать",
  cancel: "Отменить задачу",
  claim: "Взять",
  comment: "Комментировать",
  complete: "Завершить",
  create: "Создать",
  delete: "Удалить",
  escalate: "Позвать на помощь",
  expire: "Признать просроченной",
  fail: "Признать неудачей",
  release: "Отпустить",
  resume: "Продолжить",
  retry: "Повторить",
  start: "Начать",
  submit: "Сдать",
  unblock: "Разблокировать",
  update: "Изменить",
};

/** Common fields. Names specific to one lifecycle are in its plugin. */
export const FIELDS: Names = {
  assignee_id: "Исполнитель",
  blocked_by: "Ждёт задач",
  comment: "Комментарий",
  created_by: "Автор",
  description: "Описание",
  error: "Ошибка",
  kind: "Вид",
  measurements: "Измерения",
  member_id: "Участник",
  message: "Сообщение",
  note: "Ответ",
  payload: "Подробности",
  priority: "Приоритет",
  reason: "Причина",
  status: "Статус",
  text: "Пояснение",
  title: "Название",
};

/** Common field values. Names specific to one lifecycle are in its plugin. */
export const CHOICES: Names = {
  blocker: "Препятствие",
  high: "Высокий",
  low: "Низкий",
  normal: "Обычный",
  other: "Другое",
  private: "Личная",
  public: "Общая",
  urgent: "Срочный",
};

/** Labels of the callers that a rule allows. Names specific to one lifecycle are in its plugin. */
export const WHO: Names = {
  "an admin": "администратор",
  anyone: "кто угодно",
  "anyone but the assignee": "кто угодно, кроме исполнителя",
  assignee: "исполнитель",
  creator: "создатель",
  system: "система",
  "the lease's worker": "воркер, который её взял",
};
