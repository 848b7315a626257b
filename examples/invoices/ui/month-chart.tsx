import { useTexts } from "pawl/console";
import type { Totals } from "./calls.ts";
import { useFormats } from "./formats.ts";
import { TEXTS } from "./texts.ts";

/** A bar chart with one bar per month. */
export function MonthChart({ months, currency }: Pick<Totals, "months" | "currency">) {
  const texts = useTexts(TEXTS);
  const { money, short, month } = useFormats(currency);
  const max = Math.max(...months.map(({ paid_cents }) => paid_cents));
  if (max === 0) return <p className="faint">{texts.noPayments}</p>;
  return (
    <ol className="invoice-months" aria-label={texts.perMonth}>
      {months.map(({ month: iso, paid_cents }) => (
        <li key={iso} data-month={iso} title={`${month(iso)}: ${money(paid_cents)}`}>
          <span className="invoice-value num">{paid_cents > 0 && short(paid_cents / 100)}</span>
          <svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden>
            <rect y={100 - (100 * paid_cents) / max} width={1} height={(100 * paid_cents) / max} />
          </svg>
          <span className="faint">{month(iso)}</span>
        </li>
      ))}
    </ol>
  );
}
