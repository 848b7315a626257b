import { useI18n } from "pawl/console";

/** Formats money, months and days in the reader's language. */
export function useFormats(currency: string) {
  const { language } = useI18n();
  const money = new Intl.NumberFormat(language, { style: "currency", currency });
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  // A date has no time zone: formatted in local time, it could become the day before.
  const month = new Intl.DateTimeFormat(language, { month: "short", timeZone: "UTC" });
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  return {
    money: (cents: number) => money.format(cents / 100),
    short: (amount: number) => short.format(amount),
    month: (iso: string) => month.format(new Date(`${iso}-01`)),
    day: (iso: string) => day.format(new Date(iso)),
  };
}
