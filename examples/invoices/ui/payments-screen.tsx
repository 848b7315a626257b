import {
  ActionButton,
  addresses,
  EmptyState,
  ErrorState,
  LifecycleHead,
  Link,
  Skeleton,
  useI18n,
  useLiveQuery,
  useTexts,
} from "pawl/console";
import { invoices } from "./calls.ts";
import type { Totals } from "./calls.ts";
import { useFormats } from "./formats.ts";
import { MonthChart } from "./month-chart.tsx";
import { TEXTS } from "./texts.ts";

/** The tab "Payments": totals, a chart, and unpaid invoices. */
export default function PaymentsScreen({ lifecycle }: { lifecycle: string }) {
  const { data, error, refetch } = useLiveQuery({
    lifecycle,
    key: ["totals"],
    ask: (signal) => invoices.getInvoiceTotals(undefined, { signal }),
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle} />
      {data ? (
        <div className="invoice-totals">
          <Figures totals={data} />
          <Chart totals={data} />
          <Unpaid lifecycle={lifecycle} totals={data} />
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="card body">
          <Skeleton lines={6} height={28} />
        </div>
      )}
    </>
  );
}

function Figures({ totals: { unpaid, months, currency } }: { totals: Totals }) {
  const texts = useTexts(TEXTS);
  const { money } = useFormats(currency);
  const left = (some: Totals["unpaid"]) =>
    some.reduce((sum, { amount_cents, paid_cents }) => sum + amount_cents - paid_cents, 0);
  const overdue = left(unpaid.filter((one) => one.overdue));
  return (
    <dl className="invoice-figures">
      <div className="card body">
        <dt>{texts.unpaid}</dt>
        <dd className="num">{money(left(unpaid))}</dd>
      </div>
      <div className="card body" data-tone={overdue > 0 ? "bad" : undefined}>
        <dt>{texts.overdue}</dt>
        <dd className="num">{money(overdue)}</dd>
      </div>
      <div className="card body">
        <dt>{texts.thisMonth}</dt>
        <dd className="num">{money(months.at(-1)?.paid_cents ?? 0)}</dd>
      </div>
    </dl>
  );
}

function Chart({ totals: { months, currency } }: { totals: Totals }) {
  const texts = useTexts(TEXTS);
  return (
    <figure className="card body">
      <figcaption>
        <h2>{texts.perMonth}</h2>
      </figcaption>
      <MonthChart months={months} currency={currency} />
    </figure>
  );
}

function Unpaid({ lifecycle, totals: { unpaid, currency } }: { lifecycle: string; totals: Totals }) {
  const texts = useTexts(TEXTS);
  const { n } = useI18n();
  const { money, day } = useFormats(currency);
  return (
    <section className="card" aria-label={texts.toPay}>
      <header className="head">
        <h2>{texts.toPay}</h2>
        {unpaid.length > 0 && <span className="badge">{unpaid.length}</span>}
      </header>
      {unpaid.length === 0 ? (
        <EmptyState compact title={texts.nothingToPay} hint={texts.nothingToPayHint} />
      ) : (
        <ul className="invoice-list">
          {unpaid.map((invoice) => (
            <li key={invoice.id}>
              <div>
                <Link href={addresses.task(invoice.id)}>{invoice.title}</Link>
                <p className={invoice.overdue ? "small invoice-overdue" : "small faint"}>
                  {texts.dueOn(day(invoice.due_on))}
                </p>
              </div>
              <b className="num">{money(invoice.amount_cents - invoice.paid_cents)}</b>
              <ActionButton
                lifecycle={lifecycle}
                task={invoice}
                action="record_payment"
                label={n.action("record_payment")}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
