import { useQuery } from "@tanstack/react-query";
import type { Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { useNow } from "../../design/clock.ts";
import { Person } from "../../design/person.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** Open and released holds of the task. */
export function Holds({ task }: { task: Task }) {
  const { t, f, n } = useI18n();
  const now = useNow(10);
  const { data } = useQuery(queries.links(task.id));
  if (!data || data.holds.length === 0) return null;
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.holds}</h2>
      </header>
      <ul className="attempts">
        {data.holds.map((hold) => (
          <li key={hold.id}>
            <span className="row spread">
              <b>{n.choice(hold.kind)}</b>
              <span className="chip" data-tone={hold.released_at === null ? "warn" : "slate"}>
                {hold.released_at === null ? t.task.held : t.task.released}
              </span>
            </span>
            {hold.reason !== null && <span>{hold.reason}</span>}
            <span className="row spread small">
              <Person id={hold.placed_by} absent={t.common.system} />
              <time className="faint" dateTime={hold.placed_at} title={f.moment(hold.placed_at)}>
                {f.ago(hold.placed_at, now)}
              </time>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
