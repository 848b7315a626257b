import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

type Weekday = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

type Texts = {
  week: string;
  earlier: string;
  later: string;
  thisWeek: string;
  none: string;
  mine: string;
  canceled: (reason: string) => string;
  repeated: string;
  edit: string;
  editTitle: string;
  save: string;
  saved: (released: number) => string;
  extend: string;
  extendTitle: string;
  extended: string;
  cancel: string;
  cancelTitle: string;
  cancelHint: string;
  reason: string;
  copy: string;
  copyTitle: string;
  copyHint: string;
  copied: (made: number, skipped: number) => string;
  repeat: string;
  repeatTitle: string;
  repeatHint: (zone: string) => string;
  repeatDone: (added: number) => string;
  name: string;
  from: string;
  until: string;
  timeHint: string;
  dateHint: string;
  weekdays: string;
  days: Readonly<Record<Weekday, string>>;
  patterns: string;
  endPattern: string;
  endPatternHint: string;
};

export const SHIFT_TEXTS: LocalizedTexts<Texts> = {
  en: {
    week: "Week",
    earlier: "Previous week",
    later: "Next week",
    thisWeek: "This week",
    none: "No shifts",
    mine: "You see your own shifts.",
    canceled: (reason) => `Canceled: ${reason}`,
    repeated: "repeats",
    edit: "Edit…",
    editTitle: "Edit the shift",
    save: "Save",
    saved: (released) =>
      released > 0 ? `Saved. Tasks returned to the pool: ${released}.` : "The shift is saved.",
    extend: "Extend…",
    extendTitle: "Extend the shift",
    extended: "The shift is extended.",
    cancel: "Cancel shift…",
    cancelTitle: "Cancel the shift?",
    cancelHint: "It stays on record, and its members see that it is canceled.",
    reason: "Reason",
    copy: "Copy last week",
    copyTitle: "Copy the shifts of the previous week?",
    copyHint: "Local times stay the same. Repeating shifts and those that exist already are left out.",
    copied: (made, skipped) => `Copied: ${made}, left out: ${skipped}.`,
    repeat: "Repeat a shift",
    repeatTitle: "Repeat a shift every week",
    repeatHint: (zone) => `Local times in ${zone}.`,
    repeatDone: (added) => `The pattern is saved. New shifts: ${added}.`,
    name: "Name",
    from: "From",
    until: "Until",
    timeHint: "For example 06:00.",
    dateHint: "For example 2026-12-31; empty: no end.",
    weekdays: "Weekdays",
    days: { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" },
    patterns: "Repeating shifts",
    endPattern: "End",
    endPatternHint: "Shifts that have not begun are removed, except those that were edited.",
  },
  ru: {
    week: "Неделя",
    earlier: "Предыдущая неделя",
    later: "Следующая неделя",
    thisWeek: "Эта неделя",
    none: "Смен нет",
    mine: "Показаны ваши смены.",
    canceled: (reason) => `Отменена: ${reason}`,
    repeated: "по графику",
    edit: "Изменить…",
    editTitle: "Изменить смену",
    save: "Сохранить",
    saved: (released) => (released > 0 ? `Сохранено. Возвращено в пул: ${released}.` : "Смена сохранена."),
    extend: "Продлить…",
    extendTitle: "Продлить смену",
    extended: "Смена продлена.",
    cancel: "Отменить смену…",
    cancelTitle: "Отменить смену?",
    cancelHint: "Она останется в записях, и её участники увидят отмену.",
    reason: "Причина",
    copy: "Повторить прошлую неделю",
    copyTitle: "Скопировать смены прошлой недели?",
    copyHint: "Местное время сохранится. Смены по графику и уже созданные не копируются.",
    copied: (made, skipped) => `Скопировано: ${made}, пропущено: ${skipped}.`,
    repeat: "Смена по графику",
    repeatTitle: "Повторять смену каждую неделю",
    repeatHint: (zone) => `Местное время: ${zone}.`,
    repeatDone: (added) => `График сохранён. Новых смен: ${added}.`,
    name: "Название",
    from: "С какого дня",
    until: "По какой день",
    timeHint: "Например, 06:00.",
    dateHint: "Например, 2026-12-31; пусто: без конца.",
    weekdays: "Дни недели",
    days: { mon: "Пн", tue: "Вт", wed: "Ср", thu: "Чт", fri: "Пт", sat: "Сб", sun: "Вс" },
    patterns: "Графики",
    endPattern: "Закончить",
    endPatternHint: "Ещё не начатые смены будут убраны, кроме изменённых вручную.",
  },
};
