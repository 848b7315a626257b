import type { LocalizedTexts } from "pawl/console";

type Texts = {
  perMonth: string;
  noPayments: string;
  unpaid: string;
  overdue: string;
  thisMonth: string;
  toPay: string;
  nothingToPay: string;
  nothingToPayHint: string;
  dueOn: (day: string) => string;
  payments: string;
  left: (money: string) => string;
  paidInFull: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    perMonth: "Payments per month",
    noPayments: "No payments yet.",
    unpaid: "To pay",
    overdue: "Overdue",
    thisMonth: "Paid this month",
    toPay: "Invoices to pay",
    nothingToPay: "Everything is paid",
    nothingToPayHint: "Invoices appear here when they are approved.",
    dueOn: (day) => `due on ${day}`,
    payments: "Payments",
    left: (money) => `${money} left to pay`,
    paidInFull: "Paid in full",
  },
  ru: {
    perMonth: "Платежи по месяцам",
    noPayments: "Платежей пока нет.",
    unpaid: "К оплате",
    overdue: "Просрочено",
    thisMonth: "Оплачено в этом месяце",
    toPay: "Счета к оплате",
    nothingToPay: "Всё оплачено",
    nothingToPayHint: "Одобренные счета появятся здесь.",
    dueOn: (day) => `оплатить до ${day}`,
    payments: "Платежи",
    left: (money) => `осталось ${money}`,
    paidInFull: "Оплачен полностью",
  },
};
