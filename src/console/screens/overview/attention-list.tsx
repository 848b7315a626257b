import { addresses } from "../../addresses.ts";
import type { Overview } from "../../data/client.ts";
import { useNow } from "../../design/clock.ts";
import { Person } from "../../design/person.tsx";
import { EmptyState } from "../../design/states.tsx";
import { StatusChip } from "../../design/status.tsx";
import { Link } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** Tasks that need attention, and for how long they have. */
export function AttentionList({ tasks, total }: { tasks: Overview["attention"]; total: number }) {
  const { t, f } = useI18n();
  const now = useNow(10);
  return (
    <section className="card">
      <header className="head">
        <h2>{t.overview.attention}</h2>
        {total > 0 && (
          <Link
            className="badge"
            data-tone="warn"
            href={addresses.tasksBy({ attention: "1", sort: "entered", order: "asc" })}
            aria-label={t.shell.attention(total)}
          >
            {f.number(total)}
          </Link>
        )}
      </header>
      {tasks.length === 0 ? (
        <EmptyState compact title={t.overview.attentionEmpty} hint={t.overview.attentionEmptyHint} />
      ) : (
        <ul className="attention">
          {tasks.map((task) => (
            <li key={task.task_id}>
              <Link href={addresses.task(task.task_id)} className="cut">
                {task.title}
              </Link>
              <span className="bad num small" title={f.moment(task.since)}>
                {t.overview.for(f.span((now - Date.parse(task.since)) / 1_000))}
              </span>
              <div className="row wrap small">
                <StatusChip lifecycle={task.lifecycle} status={task.status} />
                {task.reasons
                  .filter((reason) => reason !== "stuck")
                  .map((reason) => (
                    <span key={reason} className="chip plain" data-tone="warn">
                      {t.overview.reason[reason]}
                    </span>
                  ))}
                <Link className="faint" href={addresses.table(task.lifecycle, { attention: "1" })}>
                  {task.lifecycle}
                </Link>
                {task.assigned_to !== null && <Person id={task.assigned_to} />}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
