import type { UiTexts } from "pawl/plugin";

/** Names of statuses, actions and fields in the console. English needs few: `record_payment` is shown as "Record payment". */
export const TEXTS: { en: UiTexts; ru: UiTexts } = {
  en: {
    actions: {
      approve: "Approve",
      escalate: "Ask a director",
      reject: "Reject",
      record_payment: "Record a payment",
    },
    fields: { amount_cents: "Amount in cents", due_on: "Due on", paid_on: "Paid on" },
  },
  ru: {
    summary: "Счета поставщиков: от почты до последнего платежа",
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
      remind: "Напомнить",
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
      OWN_INVOICE: "Этот счёт должен одобрить кто-то другой.",
      ABOVE_LIMIT: "{amount} больше вашего лимита {limit}: передайте счёт директору.",
      OVERPAID: "Осталось заплатить только {rest}.",
    },
  },
};
