import { ErrorState, Person, Skeleton, useLiveQuery, useTexts } from "pawl/console";
import type { Task } from "pawl/console";
import { invoices } from "./calls.ts";
import { useFormats } from "./formats.ts";
import { TEXTS } from "./texts.ts";

/** Lists the payments of an invoice on its page. */
export default function PaymentsPanel({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  const { data, error, refetch } = useLiveQuery({
    lifecycle: task.lifecycle,
    key: ["payments", task.id],
    ask: (signal) => invoices.listInvoicePayments({ id: task.id }, { signal }),
  });
  const { money, day } = useFormats(data?.currency ?? "EUR");
  if (!data)
    return error ? <ErrorState compact error={error} onRetry={() => void refetch()} /> : <Skeleton />;
  const amount = Number(task.data.amount_cents);
  const paid = data.payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return (
    <section className="card body invoice-payments" aria-label={texts.payments}>
      <h2>{texts.payments}</h2>
      <progress max={amount} value={paid} />
      <p className="small soft">{paid < amount ? texts.left(money(amount - paid)) : texts.paidInFull}</p>
      <ul>
        {data.payments.map(({ amount_cents, paid_on, recorded_by }, index) => (
          <li key={index}>
            <b className="num">{money(amount_cents)}</b>
            <span className="small faint">{day(paid_on)}</span>
            <Person id={recorded_by} />
          </li>
        ))}
      </ul>
    </section>
  );
}
