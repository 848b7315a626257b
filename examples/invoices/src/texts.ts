import type { UiTexts } from "pawl/plugin";

/** Labels for the console. A label that is missing is made from the name: `due_on` is shown as "Due on". */
export const TEXTS: { en: UiTexts; ru: UiTexts } = {
  en: {
    actions: { escalate: "Ask a director", record_payment: "Record a payment", remind: "Mark as overdue" },
    fields: { amount_cents: "Amount in cents", approval_limit_cents: "Approval limit in cents" },
  },
  ru: {
    summary: "Счета поставщиков: от получения до последнего платежа",
    statuses: {
      received: "Получен",
      escalated: "У директора",
      approved: "К оплате",
      paid: "Оплачен",
      rejected: "Отклонён",
    },
    actions: {
      approve: "Одобрить",
      escalate: "Передать директору",
      reject: "Отклонить",
      record_payment: "Записать платёж",
      remind: "Отметить как просроченный",
    },
    fields: {
      number: "Номер",
      supplier: "Поставщик",
      amount_cents: "Сумма в центах",
      due_on: "Оплатить до",
      paid_on: "Дата платежа",
      escalated_by: "Кто передал директору",
      approval_limit_cents: "Лимит одобрения в центах",
    },
    who: { approver: "согласующий", director: "директор" },
    refusals: {
      OWN_INVOICE: "Вы сами внесли или передали этот счёт: его должен одобрить другой участник.",
      ABOVE_LIMIT: "{amount} больше вашего лимита {limit}: передайте счёт директору.",
      OVERPAID: "Осталось заплатить только {rest}.",
    },
  },
};
