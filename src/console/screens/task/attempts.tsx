import { useQuery } from "@tanstack/react-query";
import type { JournalEntry, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Person } from "../../design/person.tsx";
import { StatusChip } from "../../design/status.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { findAttempts } from "./find-attempts.ts";

/** Each attempt at the task and its result. */
export function Attempts({ task, entries }: { task: Task; entries: readonly JournalEntry[] }) {
  const { t, f } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const attempts = lifecycle ? findAttempts(lifecycle, entries) : [];
  if (attempts.length === 0) return null;
  return (
    <section className="card">
      <header className="head">
        <h2 title={t.task.attemptsHint}>{t.task.attempts}</h2>
        <span className="badge">{attempts.length}</span>
      </header>
      <ol className="attempts">
        {attempts.toReversed().map(({ number, started, ended }) => (
          <li key={number}>
            <span className="row spread">
              <b>{t.task.attempt(number)}</b>
              {ended?.to_status ? (
                <StatusChip lifecycle={task.lifecycle} status={ended.to_status} />
              ) : (
                <span className="faint small">{t.task.stillRunning}</span>
              )}
            </span>
            <span className="row spread small">
              <Person id={started.actor_id} absent={t.common.system} />
              <span className="faint num" title={f.moment(started.created_at)}>
                {ended && f.span((Date.parse(ended.created_at) - Date.parse(started.created_at)) / 1_000)}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
